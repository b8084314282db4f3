// The simulated network as a provider of libfabric: this program is linked with these functions in
// the place of that library, so that all of transport/ runs as it is. What oriel does not call is
// not there.
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tests/sim/fabric/descriptors.hpp"
#include "tests/sim/fabric/network.hpp"

namespace oriel::sim {
namespace {

// Each begins with what libfabric's own functions see of it.
struct my_fabric {
  fid_fabric face{};
};
struct my_domain {
  fid_domain face{};
  network::domain memory{};
};
struct my_table {
  fid_av face{};
  std::vector<int> ports{};
};
struct my_queue {
  fid_cq face{};
  network::queue* at = nullptr;
};
struct my_endpoint {
  fid_ep face{};
  int port = 0;
  my_table* peers = nullptr;
};
struct my_region {
  fid_mr face{};
  network::domain* of = nullptr;
};

network& wires() noexcept {
  return network::of_run();
}
scheduler& run() noexcept {
  return *scheduler::active();
}

template <class Mine, class Face>
Mine& mine(Face* face) noexcept {
  return *reinterpret_cast<Mine*>(face);
}
template <class Mine>
int close(fid* f) {
  delete &mine<Mine>(f);
  return 0;
}

// --- Endpoints

struct operation {
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  void* descriptor = nullptr;
  fi_addr_t to = 0;
  void* context = nullptr;
  std::uint64_t flags = 0;
};

// What all that is posted has in common. Returns libfabric's code.
ssize_t post(fid_ep* ep, const operation& o, network::packet m) {
  auto& e = mine<my_endpoint>(ep);
  const provider_traits& traits = wires().traits();
  const bool injected = (o.flags & FI_INJECT) != 0;
  if (o.bytes > traits.longest || (injected && o.bytes > traits.inject_size)) return -FI_EINVAL;
  if ((o.flags & FI_DELIVERY_COMPLETE) != 0 && !traits.confirms_delivery) return -FI_EOPNOTSUPP;
  if (traits.wants_registration && !injected && o.bytes != 0 && o.descriptor == nullptr)
    run().fail("a buffer is not registered, which the provider demands");
  if (wires().refuses(e.port)) return -FI_EAGAIN;
  m.from = e.port;
  m.to = e.peers->ports[o.to];
  if (wires().takes_nothing(m.to)) return run().chance(2) ? -FI_EAGAIN : -FI_ENOTCONN;
  m.length = o.bytes;
  m.context = o.context;
  m.tells = (o.flags & FI_COMPLETION) != 0;
  m.confirmed = (o.flags & FI_DELIVERY_COMPLETE) != 0;
  if (m.what == network::kind::read) {
    m.sink = const_cast<void*>(o.buffer);
  } else {
    m.source = o.buffer;
  }
  if (injected) {
    const auto* const first = static_cast<const std::byte*>(std::exchange(m.source, nullptr));
    m.bytes.assign(first, first + o.bytes);
  }
  wires().post(std::move(m));
  return 0;
}

ssize_t send(fid_ep* ep, const fi_msg* m, std::uint64_t flags) {
  return post(ep,
              {m->msg_iov->iov_base, m->msg_iov->iov_len, m->desc == nullptr ? nullptr : *m->desc,
               m->addr, m->context, flags},
              {.what = network::kind::send});
}

ssize_t inject(fid_ep* ep, const void* from, std::size_t bytes, fi_addr_t to) {
  return post(ep, {from, bytes, nullptr, to, nullptr, FI_INJECT}, {.what = network::kind::send});
}

ssize_t move(fid_ep* ep, const fi_msg_rma* m, std::uint64_t flags, network::kind what) {
  network::packet p;
  p.what = what;
  p.address = m->rma_iov->addr;
  p.key = m->rma_iov->key;
  if ((flags & FI_REMOTE_CQ_DATA) != 0) p.data = m->data;
  return post(ep,
              {m->msg_iov->iov_base, m->msg_iov->iov_len, m->desc == nullptr ? nullptr : *m->desc,
               m->addr, m->context, flags},
              std::move(p));
}
ssize_t write(fid_ep* ep, const fi_msg_rma* m, std::uint64_t flags) {
  return move(ep, m, flags, network::kind::write);
}
ssize_t read(fid_ep* ep, const fi_msg_rma* m, std::uint64_t flags) {
  return move(ep, m, flags, network::kind::read);
}

ssize_t receive(fid_ep* ep, void* to, std::size_t bytes, void*, fi_addr_t, void* context) {
  if (run().chance(64)) return -FI_EAGAIN;
  wires().post_receive(mine<my_endpoint>(ep).port, to, bytes, context);
  return 0;
}

int name_endpoint(fid* f, void* at, std::size_t* bytes) {
  const int port = mine<my_endpoint>(f).port;
  const std::size_t room = std::exchange(*bytes, sizeof port);
  if (room < sizeof port) return -FI_ETOOSMALL;
  std::memcpy(at, &port, sizeof port);
  return 0;
}

int bind_endpoint(fid* f, fid* other, std::uint64_t) {
  auto& e = mine<my_endpoint>(f);
  if (other->fclass == FI_CLASS_AV)
    e.peers = &mine<my_table>(other);
  else
    wires().bind(e.port, *mine<my_queue>(other).at);
  return 0;
}

int enable(fid*, int, void*) {
  return 0;
}

int close_endpoint(fid* f) {
  wires().close_port(mine<my_endpoint>(f).port);
  return close<my_endpoint>(f);
}

int make_endpoint(fid_domain* d, fi_info*, fid_ep** made, void*) {
  static fi_ops ops{
      .size = sizeof ops, .close = close_endpoint, .bind = bind_endpoint, .control = enable};
  static fi_ops_cm names{.size = sizeof names, .getname = name_endpoint};
  static fi_ops_msg messages{
      .size = sizeof messages, .recv = receive, .sendmsg = send, .inject = inject};
  static fi_ops_rma transfers{.size = sizeof transfers, .readmsg = read, .writemsg = write};
  auto e = std::make_unique<my_endpoint>();
  e->face.fid = {FI_CLASS_EP, nullptr, &ops};
  e->face.cm = &names;
  e->face.msg = &messages;
  e->face.rma = &transfers;
  e->port = wires().open_port(mine<my_domain>(d).memory);
  *made = &e.release()->face;
  return 0;
}

// --- Completion queues

ssize_t read_queue(fid_cq* cq, void* to, std::size_t most) {
  network::queue& q = *mine<my_queue>(cq).at;
  wires().progress(q);
  if (q.entries.empty()) return -FI_EAGAIN;
  if (q.entries.front().failure != 0) return -FI_EAVAIL;
  auto* const entries = static_cast<fi_cq_data_entry*>(to);
  std::size_t n = 0;
  for (; n < most && !q.entries.empty() && q.entries.front().failure == 0; ++n) {
    const network::entry& e = q.entries.front();
    entries[n] = {e.context, e.flags, e.length, nullptr, e.data};
    q.entries.pop_front();
  }
  return static_cast<ssize_t>(n);
}

ssize_t read_failure(fid_cq* cq, fi_cq_err_entry* to, std::uint64_t) {
  network::queue& q = *mine<my_queue>(cq).at;
  if (q.entries.empty() || q.entries.front().failure == 0) return -FI_EAGAIN;
  to->op_context = q.entries.front().context;
  to->err = q.entries.front().failure;
  q.entries.pop_front();
  return 1;
}

int wake_queue(fid_cq* cq) {
  wires().signal(*mine<my_queue>(cq).at);
  return 0;
}

int control_queue(fid* f, int command, void* to) {
  if (command != FI_GETWAIT || !wires().traits().wakes) return -FI_ENOSYS;
  *static_cast<int*>(to) = first_descriptor + wires().number_of(*mine<my_queue>(f).at);
  return 0;
}

int make_queue(fid_domain*, fi_cq_attr* how, fid_cq** made, void*) {
  static fi_ops ops{.size = sizeof ops, .close = close<my_queue>, .control = control_queue};
  static fi_ops_cq calls{
      .size = sizeof calls, .read = read_queue, .readerr = read_failure, .signal = wake_queue};
  if (how->wait_obj == FI_WAIT_FD && !wires().traits().wakes) return -FI_ENOSYS;
  auto q = std::make_unique<my_queue>();
  q->face.fid = {FI_CLASS_CQ, nullptr, &ops};
  q->face.ops = &calls;
  q->at = &wires().new_queue();
  *made = &q.release()->face;
  return 0;
}

// --- Memory

int close_region(fid* f) {
  auto& r = mine<my_region>(f);
  run().step("ends a registration");
  r.of->regions.erase(r.face.key);
  return close<my_region>(f);
}

int register_memory(fid* f, const fi_mr_attr* about, std::uint64_t, fid_mr** made) {
  static fi_ops ops{.size = sizeof ops, .close = close_region};
  network::domain& d = mine<my_domain>(f).memory;
  const std::uint64_t key = wires().traits().chooses_keys ? ++d.last_key : about->requested_key;
  if (d.regions.contains(key)) return -FI_ENOKEY;
  auto r = std::make_unique<my_region>();
  r->face.fid = {FI_CLASS_MR, nullptr, &ops};
  r->face.mem_desc = r.get();
  r->face.key = key;
  r->of = &d;
  d.regions[key] = {static_cast<std::byte*>(about->mr_iov->iov_base), about->mr_iov->iov_len};
  *made = &r.release()->face;
  return 0;
}

int insert(fid_av* table, const void* addresses, std::size_t n, fi_addr_t* at, std::uint64_t,
           void*) {
  auto& t = mine<my_table>(table);
  for (std::size_t i = 0; i < n; ++i) {
    int port = 0;
    std::memcpy(&port, static_cast<const std::byte*>(addresses) + i * sizeof port, sizeof port);
    at[i] = t.ports.size();
    t.ports.push_back(port);
  }
  return static_cast<int>(n);
}

int make_table(fid_domain*, fi_av_attr*, fid_av** made, void*) {
  static fi_ops ops{.size = sizeof ops, .close = close<my_table>};
  static fi_ops_av calls{.size = sizeof calls, .insert = insert};
  auto t = std::make_unique<my_table>();
  t->face.fid = {FI_CLASS_AV, nullptr, &ops};
  t->face.ops = &calls;
  *made = &t.release()->face;
  return 0;
}

int make_domain(fid_fabric*, fi_info* how, fid_domain** made, void*) {
  static fi_ops ops{.size = sizeof ops, .close = close<my_domain>};
  static fi_ops_domain calls{.size = sizeof calls,
                             .av_open = make_table,
                             .cq_open = make_queue,
                             .endpoint = make_endpoint};
  static fi_ops_mr registrations{.size = sizeof registrations, .regattr = register_memory};
  auto d = std::make_unique<my_domain>();
  d->face.fid = {FI_CLASS_DOMAIN, nullptr, &ops};
  d->face.ops = &calls;
  d->face.mr = &registrations;
  d->memory.rail = how->domain_attr->name[3] - '0';  // of "sim0"
  *made = &d.release()->face;
  return 0;
}

int try_wait(fid_fabric*, fid** queues, int n) {
  run().step("asks whether it may sleep");
  for (int i = 0; i < n; ++i)
    if (wires().is_ready(*mine<my_queue>(queues[i]).at)) return -FI_EAGAIN;
  return 0;
}

}  // namespace
}  // namespace oriel::sim

extern "C" int fi_fabric(fi_fabric_attr*, fid_fabric** made, void*) {
  using namespace oriel::sim;
  static fi_ops ops{.size = sizeof ops, .close = oriel::sim::close<my_fabric>};
  static fi_ops_fabric calls{.size = sizeof calls, .domain = make_domain, .trywait = try_wait};
  auto f = std::make_unique<my_fabric>();
  f->face.fid = {FI_CLASS_FABRIC, nullptr, &ops};
  f->face.ops = &calls;
  *made = &f.release()->face;
  return 0;
}
