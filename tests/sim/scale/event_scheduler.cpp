#include "tests/sim/scale/event_scheduler.hpp"

#include <algorithm>
#include <utility>

#include "tests/sim/fiber.hpp"

namespace oriel::sim {

event_scheduler::event_scheduler(nanoseconds longest, nanoseconds look)
    : scheduler({.stores = visibility::at_once, .turn = look, .longest = longest}) {}

void event_scheduler::kill(int process) {
  die(process);
  if (process == running_->process) reschedule();
}

// Nothing is a step, so that all that matters is who has it in common with whom.
void event_scheduler::map(const void* first, std::size_t bytes, const void* stands_for,
                          std::string) {
  mapped_[static_cast<const std::byte*>(first)] = {bytes,
                                                   static_cast<const std::byte*>(stands_for)};
}

void event_scheduler::unmap(const void* first) {
  mapped_.erase(static_cast<const std::byte*>(first));
}

const void* event_scheduler::place_of(const void* at) const noexcept {
  const auto* const p = static_cast<const std::byte*>(at);
  auto behind = mapped_.upper_bound(p);
  if (behind == mapped_.begin()) return at;
  const auto& [first, m] = *--behind;
  return p < first + m.bytes ? m.stands_for + (p - first) : at;
}

void event_scheduler::may_begin(fiber& f) {
  sleeps_.resize(fibers_.size());
  ready_.push_back(&f);
}

void event_scheduler::step(const char* what, const void* at) {
  running_->what = what;
  running_->at = at;
  ++steps_;
}

void event_scheduler::give_way(const char* what) {
  step(what);
  sleep(what, nullptr, how_.turn);
}

bool event_scheduler::sleep(const char* what, const void* at, std::optional<nanoseconds> at_most) {
  fiber& me = *running_;
  me.what = what;
  me.waits_on = at == nullptr ? nullptr : place_of(at);
  me.woken = false;
  me.asleep_since = now_;
  me.until = at_most ? std::optional(now_ + *at_most) : std::nullopt;
  me.is = fiber::state::asleep;
  const std::uint64_t sleep = ++sleeps_[static_cast<std::size_t>(me.number)];
  if (me.until) alarms_.push({*me.until, ++alarms_so_far_, &me, sleep});
  if (me.waits_on != nullptr) asleep_at_[me.waits_on].push_back(&me);
  reschedule();
  if (!me.woken && me.waits_on != nullptr) std::erase(asleep_at_[me.waits_on], &me);
  me.waits_on = nullptr;
  return me.woken;
}

void event_scheduler::sleep_on_word(const void* at, std::uint32_t expected, nanoseconds at_most) {
  step("falls asleep", at);
  if (__atomic_load_n(static_cast<const std::uint32_t*>(at), __ATOMIC_SEQ_CST) == expected)
    sleep("sleeps", at, at_most);
}

void event_scheduler::wake(const void* place) {
  const auto found = asleep_at_.find(place_of(place));
  if (found == asleep_at_.end()) return;
  for (fiber* const f : found->second) {
    if (f->is != fiber::state::asleep) continue;  // its time has ended, and it is about to go on
    f->woken = true;
    f->is = fiber::state::ready;
    ready_.push_back(f);
  }
  asleep_at_.erase(found);
}

scheduler::fiber* event_scheduler::choose() noexcept {
  for (;;) {
    while (!ready_.empty()) {
      fiber* const f = ready_.front();
      ready_.pop_front();
      if (can_run(*f)) return f;
    }
    if (alarms_.empty()) return nullptr;
    const alarm next = alarms_.top();
    alarms_.pop();
    if (next.of->is != fiber::state::asleep ||
        sleeps_[static_cast<std::size_t>(next.of->number)] != next.sleep)
      continue;
    now_ = std::max(now_, next.when);
    if (now_ > how_.longest) stop_running(ending::endless, "this takes too long: " + waits());
    next.of->is = fiber::state::ready;
    ready_.push_back(next.of);
  }
}

}  // namespace oriel::sim
