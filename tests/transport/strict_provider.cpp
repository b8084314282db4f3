// A stand-in for adapters that want a process's own buffers registered (FI_MR_LOCAL), as verbs' do,
// where there are none: preloaded, it has the libfabric at hand say so of what ORIEL_FABRIC names,
// and refuses every buffer that is not registered, or not under the descriptor given with it.
// STRICT_PROVIDER_INJECTS_NOTHING: the shortest too. STRICT_PROVIDER_REFUSES=N: it takes nothing
// before it has refused N times.
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

// --- What is registered for this process's own use, by descriptor
struct registration {
  const std::byte* begin;
  std::size_t bytes;
};
std::mutex mutex;
std::map<void*, registration> registered;
std::atomic<std::uint64_t> registrations{0};

bool allows(void* descriptor, const void* buffer, std::size_t bytes, const char* call) {
  const std::lock_guard hold(mutex);
  const auto found = registered.find(descriptor);
  const auto* const at = static_cast<const std::byte*>(buffer);
  if (found != registered.end() && at >= found->second.begin &&
      at + bytes <= found->second.begin + found->second.bytes)
    return true;
  std::fprintf(stderr, "strict_provider: %s of %zu bytes that are not registered%s\n", call, bytes,
               found == registered.end() ? " at all" : " under this descriptor");
  return false;
}

// Every table of functions that is changed is a copy; the provider's own is kept beside it.
template <class Ops>
struct changed {
  Ops* before = nullptr;
  Ops now{};
  template <class Change>
  Ops* operator()(Ops* table, Change change) {
    if (before == nullptr) {
      before = table;
      now = *table;
      change(now);
    }
    return &now;
  }
};
changed<fi_ops_fabric> of_fabric;
changed<fi_ops_domain> of_domain;
changed<fi_ops_mr> of_memory;
changed<fi_ops> of_region;
changed<fi_ops_rma> of_transfers;
changed<fi_ops_msg> of_messages;

int close_region(fid* f) {
  auto* const mr = reinterpret_cast<fid_mr*>(f);
  {
    const std::lock_guard hold(mutex);
    registered.erase(fi_mr_desc(mr));
  }
  return of_region.before->close(f);
}

int register_memory(fid* domain, const fi_mr_attr* about, std::uint64_t flags, fid_mr** made) {
  const int code = of_memory.before->regattr(domain, about, flags, made);
  if (code != 0) return code;
  constexpr std::uint64_t local = FI_READ | FI_WRITE;
  if ((about->access & local) == local) {
    ++registrations;
    const std::lock_guard hold(mutex);
    const iovec& area = *about->mr_iov;
    registered[fi_mr_desc(*made)] = {static_cast<std::byte*>(area.iov_base), area.iov_len};
  }
  (*made)->fid.ops = of_region((*made)->fid.ops, [](fi_ops& o) { o.close = close_region; });
  return 0;
}

bool allows(const fi_msg_rma& m, const char* call) {
  return m.iov_count == 1 && allows(m.desc == nullptr ? nullptr : m.desc[0], m.msg_iov->iov_base,
                                    m.msg_iov->iov_len, call);
}

// Whether this thread is refused once more.
bool is_busy() {
  static const char* const times = std::getenv("STRICT_PROVIDER_REFUSES");
  static thread_local int refused = 0;
  if (times == nullptr) return false;
  refused = refused < std::atoi(times) ? refused + 1 : 0;
  return refused != 0;
}

ssize_t write(fid_ep* ep, const fi_msg_rma* m, std::uint64_t flags) {
  if (is_busy()) return -FI_EAGAIN;
  if ((flags & FI_INJECT) == 0 && !allows(*m, "a write")) return -FI_EINVAL;
  return of_transfers.before->writemsg(ep, m, flags);
}
ssize_t read(fid_ep* ep, const fi_msg_rma* m, std::uint64_t flags) {
  if (is_busy()) return -FI_EAGAIN;
  return allows(*m, "a read") ? of_transfers.before->readmsg(ep, m, flags) : -FI_EINVAL;
}
ssize_t send(fid_ep* ep, const fi_msg* m, std::uint64_t flags) {
  if (is_busy()) return -FI_EAGAIN;
  const bool may =
      (flags & FI_INJECT) != 0 || allows(m->desc == nullptr ? nullptr : m->desc[0],
                                         m->msg_iov->iov_base, m->msg_iov->iov_len, "a send");
  return may ? of_messages.before->sendmsg(ep, m, flags) : -FI_EINVAL;
}
ssize_t inject(fid_ep* ep, const void* buffer, std::size_t bytes, fi_addr_t to) {
  return is_busy() ? -FI_EAGAIN : of_messages.before->inject(ep, buffer, bytes, to);
}
ssize_t receive(fid_ep* ep, void* buffer, std::size_t bytes, void* descriptor, fi_addr_t from,
                void* context) {
  return allows(descriptor, buffer, bytes, "a receive")
             ? of_messages.before->recv(ep, buffer, bytes, descriptor, from, context)
             : -FI_EINVAL;
}

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** made, void* context) {
  info->domain_attr->mr_mode &= ~FI_MR_LOCAL;
  const int code = of_domain.before->endpoint(domain, info, made, context);
  info->domain_attr->mr_mode |= FI_MR_LOCAL;
  if (code != 0) return code;
  (*made)->rma = of_transfers((*made)->rma, [](fi_ops_rma& o) {
    o.writemsg = write;
    o.readmsg = read;
  });
  (*made)->msg = of_messages((*made)->msg, [](fi_ops_msg& o) {
    o.sendmsg = send;
    o.inject = inject;
    o.recv = receive;
  });
  return 0;
}

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** made, void* context) {
  info->domain_attr->mr_mode &= ~FI_MR_LOCAL;
  const int code = of_fabric.before->domain(fabric, info, made, context);
  info->domain_attr->mr_mode |= FI_MR_LOCAL;
  if (code != 0) return code;
  (*made)->ops = of_domain((*made)->ops, [](fi_ops_domain& o) { o.endpoint = open_endpoint; });
  (*made)->mr = of_memory((*made)->mr, [](fi_ops_mr& o) { o.regattr = register_memory; });
  return 0;
}

bool is_meant(const char* provider) {
  const char* const wanted = std::getenv("ORIEL_FABRIC");
  return wanted != nullptr && provider != nullptr && std::strcmp(wanted, provider) == 0;
}

template <class F>
F* real(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int fi_getinfo(std::uint32_t version, const char* node,
                                              const char* service, std::uint64_t flags,
                                              const fi_info* hints, fi_info** found) {
  const int code = real(fi_getinfo, "fi_getinfo")(version, node, service, flags, hints, found);
  const bool offered = hints != nullptr && hints->domain_attr != nullptr &&
                       (hints->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
  for (fi_info* i = *found; code == 0 && offered && i != nullptr; i = i->next)
    if (is_meant(i->fabric_attr->prov_name)) {
      i->domain_attr->mr_mode |= FI_MR_LOCAL;
      if (std::getenv("STRICT_PROVIDER_INJECTS_NOTHING") != nullptr) i->tx_attr->inject_size = 0;
    }
  return code;
}

[[gnu::visibility("default")]] int fi_fabric(fi_fabric_attr* about, fid_fabric** made,
                                             void* context) {
  const int code = real(fi_fabric, "fi_fabric")(about, made, context);
  if (code == 0 && is_meant(about->prov_name))
    (*made)->ops = of_fabric((*made)->ops, [](fi_ops_fabric& o) { o.domain = open_domain; });
  return code;
}

// How many times memory has been registered for this process's own reads and writes.
[[gnu::visibility("default")]] std::uint64_t strict_provider_registrations() {
  return registrations.load();
}
}
