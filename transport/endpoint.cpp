#include "transport/endpoint.hpp"

#include <poll.h>
#include <rdma/fi_cm.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "oriel/errc.hpp"
#include "session/node/resource_limit.hpp"
#include "sync/system.hpp"
#include "transport/device_interface.hpp"

namespace oriel::transport {
namespace {

[[noreturn]] void refused(const fi_info& info, const char* call, ssize_t code) {
  throw error(errc::system, std::string(call) + " failed on provider " + provider_name(info) +
                                ": " + libfabric_library().strerror(static_cast<int>(-code)) +
                                (code == -FI_ENOMEM ? sessions::addresses_limit_text() : ""));
}

template <class Fid, class Open>
handle<Fid> open(const fi_info& info, const char* call, Open opening) {
  Fid* made = nullptr;
  if (const ssize_t code = opening(&made); code != 0) refused(info, call, code);
  return handle<Fid>(made);
}

}  // namespace

endpoint::endpoint(const fi_info& provider, bool sleeps)
    : info_(libfabric_library().dupinfo(&provider)), shared_(std::make_shared<common>()) {
  fi_info& i = *info_;
  common& c = *shared_;
  c.fabric = open<fid_fabric>(i, "fi_fabric", [&](fid_fabric** f) {
    return libfabric_library().fabric(i.fabric_attr, f, nullptr);
  });
  c.domain = open<fid_domain>(
      i, "fi_domain", [&](fid_domain** d) { return fi_domain(c.fabric.get(), &i, d, nullptr); });
  fi_av_attr table{};
  table.type = FI_AV_UNSPEC;
  c.av = open<fid_av>(i, "fi_av_open",
                      [&](fid_av** v) { return fi_av_open(c.domain.get(), &table, v, nullptr); });
  make(sleeps);
}

endpoint::endpoint(const endpoint& first)
    : info_(libfabric_library().dupinfo(first.info_.get())), shared_(first.shared_) {
  make(first.can_sleep());
}

endpoint::~endpoint() {
  if (!abandoned_) return;
  // Until the process ends, and where a search for leaks finds it.
  struct left {
    handle<fid_ep> ep;
    handle<fid_cq> cq;
    std::shared_ptr<common> shared;
    left* before;
  };
  static std::atomic<left*> last{nullptr};
  left* const mine = new (std::nothrow) left{std::move(ep_), std::move(cq_), shared_, last.load()};
  while (mine != nullptr && !last.compare_exchange_weak(mine->before, mine)) {
  }
}

// tcp;ofi_rxm of libfabric 1.17 dies where it closes a connection by which a part of a read's
// answer has arrived: tcpx_ep_flush_all_queues() reports that read as failed twice, the second time
// without the context that rxm looks into. Since it does nothing unless it is polled, such an
// endpoint is left as it is.
void endpoint::abandon() noexcept {
  abandoned_ = provider_name(*info_) == "tcp;ofi_rxm" &&
               info_->domain_attr->data_progress == FI_PROGRESS_MANUAL;
  shut();
}

void endpoint::make(bool sleeps) {
  fi_info& i = *info_;
  fid_domain* const domain = shared_->domain.get();
  fi_cq_attr queue{};
  queue.format = FI_CQ_FORMAT_DATA;
  // A descriptor to sleep on, where there is one.
  queue.wait_obj = sleeps ? FI_WAIT_FD : FI_WAIT_NONE;
  fid_cq* cq = nullptr;
  if (fi_cq_open(domain, &queue, &cq, nullptr) == 0) {
    cq_.reset(cq);
    if (!sleeps || fi_control(&cq->fid, FI_GETWAIT, &wait_fd_) != 0) wait_fd_ = -1;
  } else {
    queue.wait_obj = FI_WAIT_NONE;
    cq_ = open<fid_cq>(i, "fi_cq_open",
                       [&](fid_cq** q) { return fi_cq_open(domain, &queue, q, nullptr); });
  }
  ep_ = open<fid_ep>(i, "fi_endpoint",
                     [&](fid_ep** e) { return fi_endpoint(domain, &i, e, nullptr); });
  if (const int code = fi_ep_bind(ep_.get(), &shared_->av->fid, 0)) refused(i, "fi_ep_bind", code);
  for (const std::uint64_t side : {FI_TRANSMIT | FI_SELECTIVE_COMPLETION, FI_RECV})
    if (const int code = fi_ep_bind(ep_.get(), &cq_->fid, side)) refused(i, "fi_ep_bind", code);
  if (const int code = fi_enable(ep_.get())) refused(i, "fi_enable", code);
}

std::string endpoint::address() const {
  std::size_t length = 0;
  fi_getname(&ep_->fid, nullptr, &length);
  std::string bytes(length, '\0');
  if (const int code = fi_getname(&ep_->fid, bytes.data(), &length))
    refused(*info_, "fi_getname", code);
  bytes.resize(length);
  return bytes;
}

int endpoint::enter(void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t key,
                    const std::optional<device_place>& device, handle<fid_mr>& made,
                    const char*& call) noexcept {
  const std::size_t key_size = info_->domain_attr->mr_key_size;
  const bool short_keys = key_size < sizeof key;
  const std::uint64_t last_key =
      short_keys ? (std::uint64_t{1} << (8 * key_size)) - 1 : ~std::uint64_t{0};
  const iovec area{memory, bytes};
  fi_mr_attr about{};
  about.mr_iov = &area;
  about.iov_count = 1;
  about.access = access;
  about.requested_key = key;
  const std::uint64_t flags = device ? describe(*device, about) : 0;
  fid_mr* region = nullptr;
  call = "fi_mr_regattr";
  // Short keys are dealt out in turn, since parts of long ones would meet; those still in use are
  // passed over.
  int code = 0;
  for (std::uint64_t tries = 0; tries <= last_key; ++tries) {
    if (short_keys)
      about.requested_key = short_keys_.fetch_add(1, std::memory_order_relaxed) & last_key;
    code = fi_mr_regattr(shared_->domain.get(), &about, flags, &region);
    if (!short_keys || code != -FI_ENOKEY) break;
  }
  if (code != 0) return code;
  made.reset(region);
  if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) == 0) return 0;
  call = "fi_mr_bind";
  if (const int bound = fi_mr_bind(region, &ep_->fid, 0)) return bound;
  call = "fi_mr_enable";
  return fi_mr_enable(region);
}

memory_region endpoint::expose(void* memory, std::size_t bytes, std::uint64_t key,
                               const std::optional<device_place>& device) {
  handle<fid_mr> made;
  const char* call = nullptr;
  const int code = enter(memory, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE, key, device, made, call);
  if (code == 0) return memory_region(std::move(made));
  rlimit locked{};
  getrlimit(RLIMIT_MEMLOCK, &locked);
  if (code == -FI_ENOMEM && locked.rlim_cur != RLIM_INFINITY && bytes > locked.rlim_cur)
    throw error(errc::no_mem, "cannot register " + std::to_string(bytes) +
                                  " bytes: the limit on locked memory (RLIMIT_MEMLOCK, ulimit "
                                  "-l) is " +
                                  std::to_string(locked.rlim_cur) + " bytes");
  refused(*info_, call, code);
}

memory_region endpoint::expose_locally(void* memory, std::size_t bytes,
                                       const std::optional<device_place>& device) {
  if (!(device ? wants_local_registration_of_devices() : wants_local_registration())) return {};
  // Where keys are the application's, two registrations of one buffer must not share one; counted
  // down from the top, they differ from the small numbers that callers choose.
  const std::uint64_t key = ~local_keys_.fetch_add(1, std::memory_order_relaxed);
  handle<fid_mr> made;
  const char* call = nullptr;
  const int code =
      enter(memory, bytes, FI_SEND | FI_RECV | FI_READ | FI_WRITE, key, device, made, call);
  if (code != 0) refused(*info_, call, code);
  return memory_region(std::move(made));
}

int endpoint::try_to_register(void* memory, std::size_t bytes, const device_place& at) noexcept {
  const std::uint64_t key = ~local_keys_.fetch_add(1, std::memory_order_relaxed);
  handle<fid_mr> made;
  const char* call = nullptr;
  return enter(memory, bytes,
               FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, key, at,
               made, call);
}

// One piece of local memory and one of a rank's, as libfabric's calls take them.
struct endpoint::transfer {
  iovec local;
  fi_rma_iov remote;
  void* descriptor;
  fi_msg_rma message{};

  transfer(const endpoint& e, const remote_place& at, const void* here, std::size_t bytes,
           void* registered, context& c) noexcept
      : local{const_cast<void*>(here), bytes},
        remote{at.address, bytes, at.key},
        descriptor(registered) {
    message.msg_iov = &local;
    message.desc = &descriptor;
    message.iov_count = 1;
    message.addr = e.raw_address(at.rank);
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &c;
  }
  [[nodiscard]] bool lacks_peer() const noexcept { return message.addr == FI_ADDR_NOTAVAIL; }
};

ssize_t endpoint::write(const remote_place& at, const void* from, std::size_t bytes,
                        void* descriptor, std::uint64_t flags, context& c,
                        std::uint64_t data) noexcept {
  transfer t(*this, at, from, bytes, descriptor, c);
  if (t.lacks_peer()) return shared_->peers.refusal();
  t.message.data = data;
  return fi_writemsg(ep_.get(), &t.message, flags | FI_COMPLETION);
}

ssize_t endpoint::read(const remote_place& at, void* to, std::size_t bytes, void* descriptor,
                       context& c) noexcept {
  const transfer t(*this, at, to, bytes, descriptor, c);
  if (t.lacks_peer()) return shared_->peers.refusal();
  return fi_readmsg(ep_.get(), &t.message, FI_COMPLETION);
}

ssize_t endpoint::send(int to, const void* message, std::size_t bytes, void* descriptor,
                       context& c) noexcept {
  iovec local{const_cast<void*>(message), bytes};
  fi_msg m{};
  m.msg_iov = &local;
  m.desc = &descriptor;
  m.iov_count = 1;
  m.addr = raw_address(to);
  if (m.addr == FI_ADDR_NOTAVAIL) return shared_->peers.refusal();
  m.context = &c;
  return fi_sendmsg(ep_.get(), &m, FI_COMPLETION);
}

ssize_t endpoint::inject(int to, const void* message, std::size_t bytes) noexcept {
  const fi_addr_t peer = raw_address(to);
  return peer == FI_ADDR_NOTAVAIL ? shared_->peers.refusal()
                                  : fi_inject(ep_.get(), message, bytes, peer);
}

ssize_t endpoint::write_quietly(const remote_place& at, const void* from, std::size_t bytes,
                                void* descriptor, context& c) noexcept {
  const transfer t(*this, at, from, bytes, descriptor, c);
  if (t.lacks_peer()) return shared_->peers.refusal();
  return fi_writemsg(ep_.get(), &t.message, 0);
}

ssize_t endpoint::receive(void* buffer, std::size_t bytes, void* descriptor, context& c) noexcept {
  return fi_recv(ep_.get(), buffer, bytes, descriptor, FI_ADDR_UNSPEC, &c);
}

bool endpoint::may_sleep() noexcept {
  fid* waited = &cq_->fid;
  return fi_trywait(shared_->fabric.get(), &waited, 1) == FI_SUCCESS;
}

bool endpoint::sleep(std::span<endpoint* const> more, std::chrono::microseconds at_most) noexcept {
  constexpr std::size_t most = 64;
  std::array<fid*, most> waited;
  std::array<pollfd, most> descriptors;
  std::size_t n = 0;
  const auto add = [&](const endpoint& e) {
    waited[n] = &e.cq_->fid;
    descriptors[n++] = {e.wait_fd_, POLLIN, 0};
    return e.can_sleep();
  };
  bool all_can = add(*this);
  for (endpoint* const e : more.first(std::min(more.size(), most - 1)))
    all_can = add(*e) && all_can;
  if (!all_can) {
    sync::sleep_for(std::chrono::microseconds(20));
    return false;
  }
  if (fi_trywait(shared_->fabric.get(), waited.data(), static_cast<int>(n)) != FI_SUCCESS)
    return true;
  const timespec limit{0, std::chrono::nanoseconds(at_most).count()};
  return ::ppoll(descriptors.data(), n, &limit, nullptr) > 0;
}

}  // namespace oriel::transport
