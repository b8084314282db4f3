// What streams call, and what the poller's thread does for them.
#include <chrono>
#include <string>
#include <utility>

#include "win/check/stream_checks.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/stream_access.hpp"
#include "win/trace/stream_events.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

constexpr std::chrono::microseconds lasts{500};  // a wait that is shown

}  // namespace

void stream_access::hand_over(void* of_task) noexcept {
  task& t = *static_cast<task*>(of_task);
  const detail::window_core& core = t.of->core_;
  if (core.traced.file != nullptr) t.began = trace::ticks();
  if (t.kept) {
    std::atomic_ref(*t.word).store(0, std::memory_order_relaxed);
    if (core.agreed.checked && moves(t.operation.what))
      t.left.store(true, std::memory_order_release);
  }
  t.of->push(t);
}

void stream_access::notify_here(void* of_task) noexcept {
  task& t = *static_cast<task*>(of_task);
  const stream_operation& o = t.operation;
  come_to(of_task);
  t.of->core_.counter(o.target.value, o.counter).add(o.amount);
  done_with(of_task);
}

void stream_access::come_to(void* of_task) noexcept {
  task& t = *static_cast<task*>(of_task);
  if (t.of->core_.traced.file != nullptr) t.began = trace::ticks();
}

void stream_access::done_with(void* of_task) noexcept {
  task& t = *static_cast<task*>(of_task);
  if (t.of->core_.traced.file != nullptr)
    note_passed(t.of->core_, t.operation, t.stream, t.began, 0, errc::success);
  if (!t.kept) t.of->push(t);
}

void stream_access::push(task& t) noexcept {
  t.next = given_.load(std::memory_order_relaxed);
  while (!given_.compare_exchange_weak(t.next, &t, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

// The poller's thread does what is below.

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
  return serve_waits() || worked;
}

bool stream_access::serve_waits() noexcept {
  if (waiting_ == nullptr) return false;
  bool ended = false;
  const sync::peer_watch& peers = core_.group->watch();
  if (peers.needs_progress()) peers.progress();
  for (task** at = &waiting_; *at != nullptr;) {
    task& t = **at;
    errc outcome = errc::success;
    if (!has_come(t, outcome)) {
      at = &t.next;
      continue;
    }
    *at = t.next;
    finish(t, outcome);
    ended = true;
  }
  // One wait at a time is shown of a thread.
  for (task* t = waiting_; t != nullptr; t = t->next) {
    if (ended) t->shown = false;
    show(*t);
  }
  return ended;
}

void stream_access::begin(task& t) noexcept {
  const stream_operation& o = t.operation;
  if (t.by_stream) return give_back(t);
  if (o.what != stream_action::wait && o.what != stream_action::wait_more)
    return finish(t, core_.agreed.checked ? perform_checked(t) : perform(o));
  t.value = o.what == stream_action::wait ? o.amount : awaited_[o.counter] += o.amount;
  t.patience.emplace(core_.group->watch());
  t.since.reset();
  t.shown = false;
  t.next = std::exchange(waiting_, &t);
}

// The counter of a rank of this node is counted by the route itself, and by no stream.
errc stream_access::perform_checked(const task& t) noexcept {
  const stream_operation& o = t.operation;
  if (moves(o.what)) {
    const passing_operation passing(core_, o, t.kept);
    return passing.refused() != errc::success ? passing.refused() : perform(o);
  }
  tell_of_signal(core_, o.target);
  if (!rings_here(o)) return perform(o);
  core_.counter(o.target.value, o.counter).add(static_cast<std::uint32_t>(o.amount));
  return errc::success;
}

// Each operation latches its own failure.
errc stream_access::perform(const stream_operation& o) noexcept {
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
  if (e != errc::success) return e;
  e = latched(core_, core_.routes.to(o.target).flush(core_, o.target), o.target, name_of(o.what));
  // The result of a get that a device's copy brings.
  if (core_.devices.memory == nullptr) return e;
  const errc drained =
      latched(core_, core_.devices.memory->drain(), o.target, "a device's copy for a stream");
  return e == errc::success ? drained : e;
}

bool stream_access::has_come(task& t, errc& outcome) noexcept {
  const stream_operation& o = t.operation;
  sync::notify_counter_state& mine = core_.counter(core_.me(), o.counter);
  if (mine.is_decided(t.value)) {
    if (!mine.test(t.value))
      outcome = core_.fail(mine.why_refused(), std::string(name_of(o.what)) +
                                                   ": a notification was refused to the "
                                                   "rank that sent it");
    return true;
  }
  if (!t.since) t.since = sync::clock::now();
  if (!t.patience->due()) return false;
  const errc e = t.patience->look();
  if (e == errc::success || mine.is_decided(t.value)) return false;  // looked at once more
  const std::string what = std::string(name_of(o.what)) + ": counter " + std::to_string(o.counter) +
                           " did not come to " + std::to_string(t.value);
  outcome = core_.fail(e, what + (e == errc::timed_out ? std::string(" within ORIEL_TIMEOUT")
                                                       : ", and " + core_.group->reason(e)));
  return true;
}

// As of threads: once it lasts.
void stream_access::show(task& t) noexcept {
  if (t.shown || sync::clock::now() - *t.since < lasts) return;
  show_wait(core_, wait_cause::notification, any_rank, *t.since);
  t.shown = true;
}

void stream_access::finish(task& t, errc outcome) noexcept {
  const stream_operation& o = t.operation;
  if (t.since) {
    count_wait(core_, wait_cause::notification, sync::clock::now() - *t.since);
    t.since.reset();
  }
  const bool waited = o.what == stream_action::wait || o.what == stream_action::wait_more;
  if (waited && core_.agreed.checked) learn_from_signals(core_);
  if (core_.traced.file != nullptr) note_passed(core_, o, t.stream, t.began, t.value, outcome);
  t.left.store(false, std::memory_order_relaxed);
  const bool kept = t.kept;
  std::atomic_ref(*t.word).store(t.finished, std::memory_order_release);
  if (!kept) give_back(t);
}

}  // namespace oriel::win
