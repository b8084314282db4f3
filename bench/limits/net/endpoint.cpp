#include "bench/limits/net/endpoint.hpp"

namespace bench::net {
namespace {

[[noreturn]] void fail(const char* name, long rc) {
  throw std::runtime_error(std::string(name) + ": " + fi_strerror(static_cast<int>(-rc)));
}

void check(const char* name, long rc) {
  if (rc < 0) fail(name, rc);
}

info_ptr find(const std::string& provider) {
  const info_ptr hints(fi_allocinfo());
  if (!hints) throw std::runtime_error("fi_allocinfo: no memory");
  hints->caps = FI_MSG | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->tx_attr->op_flags =
      FI_COMPLETION;  // of what names no flags: reads; injected sends have none
  hints->tx_attr->inject_size = sizeof(std::uint64_t);
  hints->rx_attr->op_flags = FI_COMPLETION;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  // All but FI_MR_RAW, whose keys need an exchange of their own; no provider here wants it.
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
                                FI_MR_MMU_NOTIFY | FI_MR_RMA_EVENT | FI_MR_ENDPOINT | FI_MR_HMEM;
  // fi_freeinfo frees it.
  hints->fabric_attr->prov_name = strdup(provider.c_str());
  fi_info* found = nullptr;
  if (const int rc = fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints.get(), &found);
      rc != 0)
    fail(("provider '" + provider + "' for FI_EP_RDM with FI_MSG and FI_RMA").c_str(), rc);
  return info_ptr(found);
}

// `open(address of a pointer)` fills it or fails.
template <class Fid, class Open>
fid_ptr<Fid> opened(const char* name, Open open) {
  Fid* object = nullptr;
  check(name, open(&object));
  return fid_ptr<Fid>(object);
}

}  // namespace

endpoint::endpoint(const std::string& provider, processes& all) : all_(all) {
  // Rank 0 first, so that a provider that cannot is reported once.
  if (all.rank() == 0) open(provider);
  all.barrier();
  if (all.rank() != 0) open(provider);
  meet();
  all.while_waiting([this] { progress(); });
  try_out();
}

endpoint::~endpoint() {
  all_.while_waiting([] {});
}

void endpoint::open(const std::string& provider) {
  info_ = find(provider);
  fabric_ = opened<fid_fabric>(
      "fi_fabric", [&](fid_fabric** f) { return fi_fabric(info_->fabric_attr, f, nullptr); });
  domain_ = opened<fid_domain>("fi_domain", [&](fid_domain** d) {
    return fi_domain(fabric_.get(), info_.get(), d, nullptr);
  });
  fi_av_attr av{};
  av.type = FI_AV_TABLE;
  addresses_ = opened<fid_av>(
      "fi_av_open", [&](fid_av** a) { return fi_av_open(domain_.get(), &av, a, nullptr); });
  fi_cq_attr cq{};
  cq.format = FI_CQ_FORMAT_CONTEXT;
  cq.wait_obj = FI_WAIT_NONE;
  completions_ = opened<fid_cq>(
      "fi_cq_open", [&](fid_cq** c) { return fi_cq_open(domain_.get(), &cq, c, nullptr); });
  endpoint_ = opened<fid_ep>("fi_endpoint", [&](fid_ep** e) {
    return fi_endpoint(domain_.get(), info_.get(), e, nullptr);
  });
  check("fi_ep_bind", fi_ep_bind(endpoint_.get(), &addresses_->fid, 0));
  check("fi_ep_bind", fi_ep_bind(endpoint_.get(), &completions_->fid,
                                 FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION));
  check("fi_enable", fi_enable(endpoint_.get()));
  window_region_ =
      register_memory(window_.data(), window_bytes, FI_REMOTE_READ | FI_REMOTE_WRITE, 1);
  buffer_region_ =
      register_memory(buffer_.data(), window_bytes + sizeof(std::uint64_t) * receives_.size(),
                      FI_READ | FI_WRITE | FI_RECV, 2);
  auto* message = reinterpret_cast<std::uint64_t*>(buffer_.data() + window_bytes);
  for (operation& receive : receives_) {
    receive.received = message++;
    unposted_.push_back(&receive);
  }
  progress();
}

fid_ptr<fid_mr> endpoint::register_memory(void* memory, std::size_t bytes, std::uint64_t access,
                                          std::uint64_t key) {
  auto region = opened<fid_mr>("fi_mr_reg", [&](fid_mr** m) {
    return fi_mr_reg(domain_.get(), memory, bytes, access, 0, key, 0, m, nullptr);
  });
  if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
    check("fi_mr_bind", fi_mr_bind(region.get(), &endpoint_->fid, 0));
    check("fi_mr_enable", fi_mr_enable(region.get()));
  }
  return region;
}

// Everyone's address and window.
void endpoint::meet() {
  struct card {
    char address[256];
    std::uint64_t base, key;
  } mine{};
  std::size_t bytes = sizeof mine.address;
  check("fi_getname", fi_getname(&endpoint_->fid, mine.address, &bytes));
  const bool virtual_addresses = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  mine.base = virtual_addresses ? reinterpret_cast<std::uint64_t>(window_.data()) : 0;
  mine.key = fi_mr_key(window_region_.get());
  for (const std::string& text :
       all_.gather(std::string(reinterpret_cast<char*>(&mine), sizeof mine))) {
    card theirs;
    std::memcpy(&theirs, text.data(), sizeof theirs);
    target t{FI_ADDR_UNSPEC, theirs.base, theirs.key};
    if (fi_av_insert(addresses_.get(), theirs.address, 1, &t.address, 0, nullptr) != 1)
      throw std::runtime_error("fi_av_insert: the address of another process was refused");
    targets_.push_back(t);
  }
}

// Connects every pair, and sees a write to each arrive, before anything is measured.
void endpoint::try_out() {
  all_.barrier();
  auto* const word = reinterpret_cast<std::uint64_t*>(buffer_.data()) + all_.rank();
  const std::size_t place = sizeof *word * static_cast<std::size_t>(all_.rank());
  constexpr std::uint64_t sent = 0x6f7269656c;
  for (int other = 0; other < all_.size(); ++other) {
    if (other == all_.rank()) continue;
    *word = sent;
    write(other, place, sizeof *word);
    wait_transfers();
    *word = 0;
    read(other, place, sizeof *word);
    wait_transfers();
    if (*word != sent) throw std::runtime_error("a word written was not read back");
  }
  all_.barrier();
}

void endpoint::completion_failed() {
  fi_cq_err_entry error{};
  const ssize_t rc = fi_cq_readerr(completions_.get(), &error, 0);
  fail("an operation of the provider", rc < 0 ? rc : -error.err);
}

void endpoint::progress() {
  std::array<fi_cq_entry, 16> entries;
  const ssize_t n = fi_cq_read(completions_.get(), entries.data(), entries.size());
  if (n < 0 && n != -FI_EAGAIN) completion_failed();
  for (ssize_t i = 0; i < n; ++i) {
    auto* const ended = static_cast<operation*>(entries[static_cast<std::size_t>(i)].op_context);
    if (ended->received == nullptr) {
      ++completed_;
      continue;
    }
    ++arrived_.at(*ended->received);
    unposted_.push_back(ended);
  }
  while (!unposted_.empty()) {
    operation* const next = unposted_.back();
    const ssize_t rc = fi_recv(endpoint_.get(), next->received, sizeof *next->received,
                               fi_mr_desc(buffer_region_.get()), FI_ADDR_UNSPEC, next);
    if (rc == -FI_EAGAIN) return;
    check("fi_recv", rc);
    unposted_.pop_back();
  }
}

template <class Post>
void endpoint::post(Post call, const char* name) {
  patience wait(name, all_.crowded());
  for (ssize_t rc; (rc = call()) != 0; wait.turn()) {
    if (rc != -FI_EAGAIN) fail(name, rc);
    progress();
  }
}

endpoint::operation& endpoint::next_transfer() {
  return transfers_[posted_++ % at_once];
}

void endpoint::write(int rank, std::size_t offset, std::size_t bytes) {
  const target& to = targets_[static_cast<std::size_t>(rank)];
  iovec here{buffer_.data() + offset, bytes};
  void* description = fi_mr_desc(buffer_region_.get());
  fi_rma_iov there{to.base + offset, bytes, to.key};
  const fi_msg_rma message{&here, &description, 1, to.address, &there, 1, &next_transfer(), 0};
  post([&] { return fi_writemsg(endpoint_.get(), &message, FI_DELIVERY_COMPLETE | FI_COMPLETION); },
       "fi_writemsg");
}

void endpoint::read(int rank, std::size_t offset, std::size_t bytes) {
  const target& from = targets_[static_cast<std::size_t>(rank)];
  operation& transfer = next_transfer();
  post(
      [&] {
        return fi_read(endpoint_.get(), buffer_.data() + offset, bytes,
                       fi_mr_desc(buffer_region_.get()), from.address, from.base + offset, from.key,
                       &transfer);
      },
      "fi_read");
}

void endpoint::wait_transfers() {
  patience wait("a transfer's completion", all_.crowded());
  for (progress(); completed_ != posted_; progress()) wait.turn();
}

void endpoint::send(int rank, std::uint64_t kind) {
  post(
      [&] {
        return fi_inject(endpoint_.get(), &kind, sizeof kind,
                         targets_[static_cast<std::size_t>(rank)].address);
      },
      "fi_inject");
}

void endpoint::receive(std::uint64_t kind) {
  patience wait("a message", all_.crowded());
  for (; arrived_[kind] == 0; progress()) wait.turn();
  --arrived_[kind];
}

}  // namespace bench::net
