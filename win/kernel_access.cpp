#include "win/kernel_access.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "sync/notify_counter.hpp"
#include "sync/wait.hpp"
#include "transport/poller.hpp"
#include "win/route/kernel_atomics.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using detail::device_peer;
using detail::kernel_action;
using detail::kernel_request;
using detail::window_core;

// What device code reads of a counter.
static_assert(detail::counter_stride * sizeof(std::uint64_t) == sizeof(sync::notify_counter_state));
static_assert(detail::counter_refused * sizeof(std::uint64_t) ==
              sync::notify_counter_state::offset_of_refused());
static_assert(detail::counter_why * sizeof(std::uint64_t) ==
              sync::notify_counter_state::offset_of_why());

constexpr std::uint32_t log2_slots = 10;
constexpr std::size_t slots_bytes = (std::size_t{1} << log2_slots) * sizeof(detail::kernel_slot);
constexpr std::size_t state_bytes = sizeof(detail::kernel_slot);  // keeps the slots aligned

kinds::device_runtime& runtime_for(const window_core& core) {
  if (core.devices.memory != nullptr) return core.devices.memory->runtime();
  if (core.devices.pinned != nullptr) return core.devices.pinned->runtime();
  throw error(errc::unsupported_kind,
              "window '" + core.agreed.name + "', rank " + std::to_string(core.me()) +
                  ": kernels see windows whose memory, here or on another rank of the node, is a "
                  "device's, managed or pinned (window_options::memory_kind)");
}

int device_for(const window_core& core) {
  return core.devices.memory != nullptr ? core.devices.memory->device()
                                        : core.devices.pinned->device();
}

const char* name_of(kernel_action action) noexcept {
  switch (action) {
    case kernel_action::put:
      return "put";
    case kernel_action::get:
      return "get";
    case kernel_action::accumulate:
      return "accumulate";
    case kernel_action::fetch_op:
      return "fetch_op";
    case kernel_action::compare_swap:
      return "compare_swap";
    case kernel_action::put_notify:
      return "put_notify";
    case kernel_action::fence:
    case kernel_action::quiet:
      break;
  }
  return "request";
}

// What would have been valid instead of what was refused.
std::string wanted_of(const window_core& core, const kernel_request& asked, errc why) {
  switch (why) {
    case errc::rank:
      return core.group->ranks_in_words();
    case errc::rma_range:
      return "it exposes " + std::to_string(core.shared_entry(rank{asked.target}).count);
    case errc::type:
      return "the window's elements are " + std::string(name(core.agreed.element)) + " of " +
             std::to_string(core.agreed.extent) + " bytes";
    case errc::op:
      return "there is no operation of number " + std::to_string(static_cast<int>(asked.op));
    case errc::arg:
      return "at most " + std::to_string(detail::kernel_inline_bytes) +
             " bytes travel in the request, and one element that is fetched";
    default:
      return "what was begun before it failed";
  }
}

}  // namespace

kernel_access::kernel_access(window_core& core)
    : core_(core), runtime_(&runtime_for(core)), device_(device_for(core)) {
  if (!core.devices.stages)
    throw error(errc::info, "window '" + core.agreed.name +
                                "': kernels give it buffers in device memory, "
                                "which mpi_assert_memory_alloc_kinds leaves out");
  if (pins_counters())
    counters_ = std::make_unique<pinned_memory>(
        *runtime_, device_, core.node_memory().base() + core.memory.room.block(),
        core.memory.control_bytes);
  const auto ranks = static_cast<std::size_t>(core.ranks());
  const std::size_t peers_bytes = ranks * sizeof(device_peer);
  table_ = make(kinds::residence::device, peers_bytes + sizeof(std::uint64_t));
  shared_ = make(kinds::residence::host, state_bytes + slots_bytes);
  std::vector<device_peer> peers;
  peers.reserve(ranks);
  for (int r = 0; r < core.ranks(); ++r) peers.push_back(peer(r));
  if (const errc e = runtime_->copy(table_.get(), peers.data(), peers_bytes); e != errc::success)
    throw error(e, "window '" + core.agreed.name + "': " + runtime_->last_failure());
  view_.peers = reinterpret_cast<const device_peer*>(table_.get());
  view_.state = reinterpret_cast<detail::device_state*>(shared_.get());
  view_.ring = {reinterpret_cast<detail::kernel_slot*>(shared_.get() + state_bytes),
                reinterpret_cast<std::uint64_t*>(table_.get() + peers_bytes), log2_slots};
  load_atomics();
  prepare_staging();
  if (counters_ != nullptr)
    view_.counters = reinterpret_cast<const std::uint64_t*>(&core.counter(core.me(), 0));
  view_.rank = core.me();
  view_.ranks = core.ranks();
  server_ = std::make_unique<transport::kernel_ring_server>(view_.ring, *view_.state, *this);
  core.group->session().extension<transport::poller>().add(this, [this] {
    const std::lock_guard hold(serving_);
    return server_->serve_pending();
  });
}

kernel_access::~kernel_access() {
  core_.group->session().extension<transport::poller>().remove(this);
  server_->close();
}

kernel_access::block kernel_access::make(kinds::residence where, std::size_t bytes) const {
  return block(runtime_->allocate(device_, where, bytes), giving_back{runtime_});
}

// Loading device code waits for the kernels that run, and those may wait for the ring: so it is
// loaded now, by an atomic that changes nothing.
void kernel_access::load_atomics() const {
  if (!runtime_->lacks_atomics(device_).empty()) return;
  std::uint64_t before = 0;
  kinds::atomic_task nothing;
  nothing.type = primitive::uint64;
  nothing.width = sizeof before;
  nothing.n = 1;
  nothing.location = view_.ring.tickets;
  nothing.results = &before;
  const errc e = runtime_->apply(device_, nothing, core_.group->watch().patience());
  if (e == errc::success) return;
  throw error(e,
              "window '" + core_.agreed.name + "': " +
                  (e == errc::timed_out
                       ? std::string("the device had no room for a kernel within ORIEL_TIMEOUT; ") +
                             device_window::leave_room
                       : runtime_->last_failure()));
}

// Allocating pinned memory may wait for kernels too.
void kernel_access::prepare_staging() const {
  if (core_.routes.remote != nullptr) staging_of(core_, *runtime_, device_);
}

// This rank's counters are read by its kernels, which wait for them.
bool kernel_access::pins_counters() const noexcept {
  return core_.agreed.notify_counters != 0;
}

// Atomics go through the ring where kernels' own would not be atomic with all others.
device_peer kernel_access::peer(int r) const noexcept {
  device_peer p;
  p.count = core_.shared_entry(rank{r}).count;
  target at;
  if (!core_.routes.to(rank{r}).find(core_, rank{r}, disp{0}, p.count, at)) return p;
  if (at.device != nullptr)
    p.memory = at.device;
  else if (core_.devices.pinned != nullptr || core_.routes.where(rank{r}) == place::managed_memory)
    p.memory = at.mapped;
  if (runtime_->lacks_atomics(device_).empty() && lacks_kernel_atomics(core_, rank{r}).empty())
    p.atomics = p.memory;
  return p;
}

errc kernel_access::check(const kernel_request& asked) const noexcept {
  if (!core_.group->has(rank{asked.target})) return errc::rank;
  if (asked.element_bytes != core_.agreed.extent) return errc::type;
  const std::uint64_t count = core_.shared_entry(rank{asked.target}).count;
  if (asked.first > count || asked.n > count - asked.first) return errc::rma_range;
  if (asked.action != kernel_action::accumulate && asked.action != kernel_action::fetch_op)
    return errc::success;
  if (asked.type != core_.agreed.element) return errc::type;
  return static_cast<int>(asked.op) < atomic_op_count ? errc::success : errc::op;
}

// Every field of a request is checked.
errc kernel_access::serve(const kernel_request& asked) noexcept {
  if (const errc e = check(asked); e != errc::success) {
    refuse(asked, e);
    return e;
  }
  const rank r{asked.target};
  const disp i{asked.first};
  const detail::operation_table& to = core_.inner();
  const call_site site = call_site::here();
  const bool one = asked.n == 1;  // needs no assertion
  switch (asked.action) {
    case kernel_action::put:
      return one ? to.put(core_, r, i, asked.source, site)
                 : to.put_n(core_, r, i, asked.source, asked.n, nullptr, site);
    case kernel_action::get:
      return one ? to.get(core_, r, i, asked.sink, site)
                 : to.get_n(core_, r, i, asked.sink, asked.n, nullptr, site);
    case kernel_action::accumulate:
      return one ? to.accumulate(core_, asked.op, r, i, asked.source, site)
                 : to.accumulate_n(core_, asked.op, r, i, asked.source, nullptr, asked.n, nullptr,
                                   site);
    case kernel_action::fetch_op:
      return to.fetch_op(core_, asked.op, r, i, asked.source, asked.sink, site);
    case kernel_action::compare_swap:
      return to.compare_swap(core_, r, i, asked.source,
                             static_cast<const std::byte*>(asked.source) + core_.agreed.extent,
                             asked.sink, site);
    case kernel_action::put_notify:
      return to.put_notify(core_, r, i, asked.source, asked.n, {asked.counter}, site);
    case kernel_action::fence:
    case kernel_action::quiet:
      break;
  }
  refuse(asked, errc::arg);
  return errc::arg;
}

// What the window's operations refuse, they have latched, and told the target of.
void kernel_access::refuse(const kernel_request& asked, errc why) noexcept {
  static_cast<void>(core_.fail(
      why, std::string("a kernel's ") + name_of(asked.action) + " of " + std::to_string(asked.n) +
               " elements of " + std::to_string(asked.element_bytes) + " bytes at " +
               std::to_string(asked.first) + " of rank " + std::to_string(asked.target) + ": " +
               wanted_of(core_, asked, why)));
  if (asked.action == kernel_action::put_notify)
    refuse_notification(core_, rank{asked.target}, {asked.counter}, why);
}

errc kernel_access::settle() noexcept {
  const std::lock_guard hold(serving_);
  const std::uint64_t end = server_->submitted();
  sync::patience_clock patience(core_.group->watch());
  while (server_->served() < end) {
    if (server_->serve_pending()) continue;
    sync::wait_ladder::yield();
    const errc e = patience.due() ? patience.look(/*at_peers=*/false) : errc::success;
    if (e != errc::success)
      return core_.fail(e,
                        "a request of a kernel was begun, and not finished within ORIEL_TIMEOUT");
  }
  return server_->complete();
}

bool kernel_access::orders_notifications() const noexcept {
  return core_.agreed.promised.has(assertion::ordered_notify);
}

errc kernel_access::complete() noexcept {
  const errc sent = complete_deferred(core_);
  const errc copied =
      core_.devices.memory == nullptr ? errc::success : core_.devices.memory->drain();
  rank failed = any_rank;
  const errc arrived =
      core_.routes.remote == nullptr ? errc::success : core_.routes.remote->flush_all(failed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (sent != errc::success) return sent;
  return copied != errc::success ? latched(core_, copied, any_rank, "a request of a kernel")
                                 : latched(core_, arrived, failed, "a request of a kernel");
}

}  // namespace oriel::win
