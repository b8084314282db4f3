#include "win/stream_access.hpp"

#include <string>
#include <utility>

#include "transport/poller.hpp"
#include "win/route/on_node.hpp"
#include "win/route/origin_staging.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

constexpr std::size_t tasks_at_once = 32;

constexpr bool moves(stream_action k) noexcept {
  return k == stream_action::put || k == stream_action::get;
}

const char* name_of(stream_action k) noexcept {
  switch (k) {
    case stream_action::put:
      return "put_on";
    case stream_action::get:
      return "get_on";
    case stream_action::signal:
      return "signal_on";
    case stream_action::wait:
      return "wait_on";
    case stream_action::wait_more:
      return "wait_more_on";
  }
  return "";
}

kinds::device_runtime& runtime_of_streams(const window_core& core) {
  const bool none = core.devices.memory == nullptr && core.devices.pinned == nullptr;
  if (none)
    throw error(errc::unsupported_kind,
                "operations are in the order of streams on windows whose memory, here or on "
                "another rank of the node, is a device's, managed or pinned "
                "(window_options::memory_kind)");
  if (!core.devices.stages)
    throw error(errc::info,
                "streams give it buffers in device memory, which mpi_assert_memory_alloc_kinds "
                "leaves out");
  return core.devices.memory != nullptr ? core.devices.memory->runtime()
                                        : core.devices.pinned->runtime();
}

int device_of_streams(const window_core& core, const kinds::device_runtime& runtime) {
  if (core.devices.memory != nullptr) return core.devices.memory->device();
  const int pinned_by = core.devices.pinned->device();
  return core.agreed.asked_hints.get("oriel_device") ? pinned_by
                                                     : runtime.current_device().value_or(0);
}

}  // namespace

stream_access::stream_access(window_core& core)
    : core_(core),
      runtime_(&runtime_of_streams(core)),
      streams_(runtime_->streams()),
      device_(device_of_streams(core, *runtime_)),
      awaited_(core.agreed.notify_counters) {
  const std::string why = streams_ == nullptr
                              ? std::string("its kind has no streams in this library")
                              : streams_->lacks(device_);
  if (!why.empty())
    throw error(errc::unsupported_kind, "no operations in the order of streams: " + why);
  const kinds::allocating_in_captures allowed(*streams_);
  for (int r = 0; r < core.ranks(); ++r) {
    target at;
    const route& by = core.routes.to(rank{r});
    const bool found = by.find(core, rank{r}, disp{0}, core.shared_entry(rank{r}).count, at);
    const bool reached =
        core.devices.pinned != nullptr || core.routes.where(rank{r}) == place::managed_memory;
    direct_.push_back(!found                 ? nullptr
                      : at.device != nullptr ? at.device
                      : reached              ? at.mapped
                                             : nullptr);
    rings_here_.push_back(by.notify == notify_on_node);
  }
  // Now, since the poller's thread must allocate nothing while a stream waits.
  if (core.routes.remote != nullptr) staging_of(core, *runtime_, device_);
  give_back(*take_task(false));
  core.group->session().extension<transport::poller>().add(this,
                                                           [this] { return serve_pending(); });
}

stream_access::~stream_access() {
  core_.group->session().extension<transport::poller>().remove(this);
  for (task& t : tasks_) std::atomic_ref(*t.word).store(t.finished, std::memory_order_release);
}

// --- The program's threads -----------------------------------------------------------------------

errc stream_access::fail_at(errc e, const char* what) noexcept {
  return core_.fail(e, std::string(what) + ": " + runtime_->last_failure());
}

errc stream_access::check(const stream_operation& o) noexcept {
  const char* const name = name_of(o.what);
  const bool aims = moves(o.what) || o.what == stream_action::signal;
  if (aims && !core_.group->has(o.target))
    return core_.fail(errc::rank, std::string(name) + " with rank " +
                                      std::to_string(o.target.value) + ": " +
                                      core_.group->ranks_in_words());
  if (!moves(o.what)) {
    if (!core_.agreed.promised.has(assertion::notify))
      return refuse_unasserted(core_, name, "assertion::notify");
    if (o.amount == 0 && o.what != stream_action::wait)
      return core_.fail(errc::arg, std::string(name) + " with an amount of 0");
    return check_notification(core_, aims ? o.target : rank{core_.me()}, 0, {o.counter});
  }
  if (o.n > 1 && !core_.agreed.promised.has(assertion::multi_element))
    return refuse_unasserted(core_, std::string(name) + " of " + std::to_string(o.n) + " elements",
                             "assertion::multi_element");
  const std::uint64_t count = core_.shared_entry(o.target).count;
  if (!core_.agreed.promised.has(assertion::attach) &&
      (o.first.value > count || o.n > count - o.first.value))
    return core_.fail(errc::rma_range, std::string(name) + " of elements " +
                                           std::to_string(o.first.value) + " to " +
                                           std::to_string(o.first.value + o.n) + " of rank " +
                                           std::to_string(o.target.value) + ", which exposes " +
                                           std::to_string(count));
  if (o.n == 0 || runtime_->classify(o.buffer).has_value()) return errc::success;
  return core_.fail(errc::unsupported_kind,
                    std::string(name) +
                        " with a buffer that is no memory of the window's kind: "
                        "a device's, managed or pinned memory is needed");
}

errc stream_access::enqueue(void* stream, const stream_operation& o) noexcept {
  if (const errc e = check(o); e != errc::success) return e;
  if (moves(o.what) && o.n == 0) return errc::success;
  std::byte* const there = moves(o.what) ? direct(o) : nullptr;
  return there != nullptr ? copy(stream, o, there) : give(stream, o);
}

std::byte* stream_access::direct(const stream_operation& o) const noexcept {
  std::byte* const base = direct_[static_cast<std::size_t>(o.target.value)];
  return base == nullptr || !core_.agreed.base.contiguous()
             ? nullptr
             : base + o.first.value * core_.agreed.extent;
}

errc stream_access::copy(void* stream, const stream_operation& o, std::byte* there) noexcept {
  const bool puts = o.what == stream_action::put;
  const std::size_t bytes = o.n * core_.agreed.extent;
  count(core_, puts ? operation_kind::put : operation_kind::get, core_.routes.to(o.target).counted,
        bytes);
  const errc e =
      streams_->copy({stream, device_}, puts ? there : o.buffer, puts ? o.buffer : there, bytes);
  return e == errc::success ? e : fail_at(e, name_of(o.what));
}

// What the task's word comes to is read before the stream has it: the task may have been done, and
// be another's, by the time that the stream waits.
errc stream_access::give(void* stream, const stream_operation& o) noexcept {
  const kinds::stream_of_device on{stream, device_};
  bool kept = false;
  if (const errc e = streams_->is_captured(on, kept); e != errc::success)
    return fail_at(e, name_of(o.what));
  task* t = nullptr;
  try {
    t = take_task(kept);
  } catch (const error& failure) {
    return core_.fail(failure.code(), std::string(name_of(o.what)) + ": " + failure.what());
  } catch (const std::bad_alloc&) {
    return core_.fail(errc::no_mem, name_of(o.what));
  }
  t->operation = o;
  std::uint64_t* const word = t->word;
  const std::uint64_t finished = t->finished;
  const bool here =
      o.what == stream_action::signal && rings_here_[static_cast<std::size_t>(o.target.value)];
  errc e = streams_->call(on, here ? notify_here : hand_over, t);
  if (e != errc::success) {
    give_back(*t);
    return fail_at(e, name_of(o.what));
  }
  if (!here) e = streams_->wait(on, word, finished);
  return e == errc::success ? e : fail_at(e, name_of(o.what));
}

stream_access::task* stream_access::take_task(bool kept) {
  const std::lock_guard hold(tasks_lock_);
  if (free_ == nullptr) {
    const kinds::allocating_in_captures allowed(*streams_);
    for (std::uint64_t* const word : words_.emplace_back(*streams_, device_, tasks_at_once).words) {
      task& t = tasks_.emplace_back();
      t.of = this;
      t.word = word;
      t.next = std::exchange(free_, &t);
    }
  }
  task* const t = std::exchange(free_, free_->next);
  t->kept = kept;
  t->finished = kept ? 1 : t->finished + 1;
  return t;
}

void stream_access::give_back(task& t) noexcept {
  const std::lock_guard hold(tasks_lock_);
  t.next = std::exchange(free_, &t);
}

// --- Streams -------------------------------------------------------------------------------------

void stream_access::hand_over(void* of_task) noexcept {
  task& t = *static_cast<task*>(of_task);
  if (t.kept) std::atomic_ref(*t.word).store(0, std::memory_order_relaxed);
  t.of->push(t);
}

void stream_access::notify_here(void* of_task) noexcept {
  task& t = *static_cast<task*>(of_task);
  const stream_operation& o = t.operation;
  t.of->core_.counter(o.target.value, o.counter).add(o.amount);
  if (!t.kept) t.of->push(t);
}

void stream_access::push(task& t) noexcept {
  t.next = given_.load(std::memory_order_relaxed);
  while (!given_.compare_exchange_weak(t.next, &t, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

// --- The poller's thread -------------------------------------------------------------------------

bool stream_access::serve_pending() noexcept {
  task* given = given_.exchange(nullptr, std::memory_order_acquire);
  bool worked = given != nullptr;
  for (task* in_order = nullptr; given != nullptr || in_order != nullptr;) {
    if (given != nullptr) {  // first all of them, the other way round
      task* const next = given->next;
      given->next = std::exchange(in_order, given);
      given = next;
    } else {
      begin(*std::exchange(in_order, in_order->next));
    }
  }
  if (waiting_ == nullptr) return worked;
  const sync::peer_watch& peers = core_.group->watch();
  if (peers.needs_progress()) peers.progress();
  for (task** at = &waiting_; *at != nullptr;) {
    task& t = **at;
    if (!has_come(t)) {
      at = &t.next;
      continue;
    }
    *at = t.next;
    finish(t);
    worked = true;
  }
  return worked;
}

void stream_access::begin(task& t) noexcept {
  const stream_operation& o = t.operation;
  if (o.what == stream_action::signal && rings_here_[static_cast<std::size_t>(o.target.value)])
    return give_back(t);
  if (o.what != stream_action::wait && o.what != stream_action::wait_more) {
    perform(o);
    return finish(t);
  }
  t.value = o.what == stream_action::wait ? o.amount : awaited_[o.counter] += o.amount;
  t.patience.emplace(core_.group->watch());
  t.next = std::exchange(waiting_, &t);
}

// Each operation latches its own failure.
void stream_access::perform(const stream_operation& o) noexcept {
  const detail::operation_table& to = core_.inner();
  errc e = errc::success;
  if (o.what == stream_action::put)
    e = o.n == 1 ? to.put(core_, o.target, o.first, o.buffer, o.site)
                 : to.put_n(core_, o.target, o.first, o.buffer, o.n, nullptr, o.site);
  else if (o.what == stream_action::get)
    e = o.n == 1 ? to.get(core_, o.target, o.first, o.buffer, o.site)
                 : to.get_n(core_, o.target, o.first, o.buffer, o.n, nullptr, o.site);
  else
    e = to.put_notify(core_, o.target, disp{0}, nullptr, 0,
                      {o.counter, static_cast<std::uint32_t>(o.amount)}, o.site);
  if (e != errc::success) return;
  static_cast<void>(
      latched(core_, core_.routes.to(o.target).flush(core_, o.target), o.target, name_of(o.what)));
  // The result of a get that a device's copy brings.
  if (core_.devices.memory != nullptr)
    static_cast<void>(
        latched(core_, core_.devices.memory->drain(), o.target, "a device's copy for a stream"));
}

bool stream_access::has_come(task& t) noexcept {
  const stream_operation& o = t.operation;
  sync::notify_counter_state& mine = core_.counter(core_.me(), o.counter);
  if (mine.is_decided(t.value)) {
    if (!mine.test(t.value))
      static_cast<void>(core_.fail(mine.why_refused(), std::string(name_of(o.what)) +
                                                           ": a notification was refused to the "
                                                           "rank that sent it"));
    return true;
  }
  if (!t.patience->due()) return false;
  const errc e = t.patience->look();
  if (e == errc::success || mine.is_decided(t.value)) return false;  // looked at once more
  const std::string what = std::string(name_of(o.what)) + ": counter " + std::to_string(o.counter) +
                           " did not come to " + std::to_string(t.value);
  static_cast<void>(
      core_.fail(e, what + (e == errc::timed_out ? std::string(" within ORIEL_TIMEOUT")
                                                 : ", and " + core_.group->reason(e))));
  return true;
}

void stream_access::finish(task& t) noexcept {
  const bool kept = t.kept;
  std::atomic_ref(*t.word).store(t.finished, std::memory_order_release);
  if (!kept) give_back(t);
}

}  // namespace oriel::win
