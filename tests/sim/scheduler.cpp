// A jump to another stack is what the checked longjmp refuses.
#undef _FORTIFY_SOURCE
#include "tests/sim/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "tests/sim/fiber.hpp"

namespace oriel::sim {
namespace {

// How long things take, in the simulation's time: only the order of sizes is meant.
constexpr nanoseconds of_step{20};
constexpr std::size_t shown_steps = 40;

}  // namespace

scheduler* scheduler::active_ = nullptr;
bool scheduler::watches_ = false;

scheduler::scheduler(const schedule& how) : how_(how), random_(how.seed) {
  constexpr std::uint64_t turns[] = {2, 4, 12, 40, 0, 0};
  steps_a_turn_ = turns[draw(std::size(turns))];
  steps_a_store_ = std::uint64_t{2} << 2 * draw(4);
  slack_ = nanoseconds(draw(2) * 1'000'000);
  if (steps_a_turn_ != 0) return;
  const std::uint64_t within = std::uint64_t{16} << draw(8);
  for (std::uint64_t n = 1 + draw(5); n > 0; --n) changes_.push_back(draw(within));
}

scheduler::~scheduler() = default;

void scheduler::share(const void* first, std::size_t bytes, std::string name) {
  map(first, bytes, first, std::move(name));
}

void scheduler::map(const void* first, std::size_t bytes, const void* stands_for,
                    std::string name) {
  watches_ = true;
  regions_.add({static_cast<const std::byte*>(first), bytes, std::move(name),
                static_cast<const std::byte*>(stands_for)});
}

void scheduler::unmap(const void* first) {
  regions_.remove(first);
}

const void* scheduler::name_everywhere(const void* at) const noexcept {
  const auto* const r = regions_.at(at);
  return r == nullptr ? at : r->name_of(at);
}

int scheduler::start(int process, std::string name, std::function<void()> run) {
  static_cast<void>(process_of(process));
  const int number = static_cast<int>(fibers_.size());
  fibers_.push_back(std::make_unique<fiber>(number, process, std::move(name), std::move(run)));
  fiber& f = *fibers_.back();
  f.priority = static_cast<std::int64_t>(1 + draw(1000));
  getcontext(&f.context);
  f.context.uc_stack.ss_sp = f.stack;
  f.context.uc_stack.ss_size = stacks::bytes;
  f.context.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&f.context, reinterpret_cast<void (*)()>(&scheduler::enter), 2,
              static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  may_begin(f);
  return number;
}

int scheduler::start_server(int process, std::string name, std::function<void()> run) {
  const int number = start(process, std::move(name), std::move(run));
  fibers_.back()->waits_for_work = true;
  return number;
}

void scheduler::enter(unsigned high, unsigned low) {
  auto* const self = reinterpret_cast<scheduler*>(std::uintptr_t{high} << 32 | low);
  try {
    self->running_->run();
    self->running_->own.end();
  } catch (const std::exception& e) {
    self->fail(std::string("an exception: ") + e.what());
  }
  self->step("ends");
  self->drain();
  self->running_->is = fiber::state::ended;
  self->wake(self->running_);
  self->reschedule();
}

scheduler::pretended_process& scheduler::process_of(int number) {
  const auto n = static_cast<std::size_t>(number);
  if (n >= processes_.size()) processes_.resize(n + 1);
  return processes_[n];
}

verdict scheduler::run() {
  active_ = this;
  if (fiber* const first = choose(); first != nullptr) {
    thread_locals own;
    own.leave();
    running_ = first;
    first->own.enter();
    first->begun = true;
    swapcontext(&outside_, &first->context);
    own.enter();
  }
  active_ = nullptr;
  for (const auto& f : fibers_) f->stores.drain();
  verdict_.trace = trace_;
  verdict_.steps = steps_;
  verdict_.took = now_ - std::chrono::seconds(1);
  return verdict_;
}

void scheduler::step(const char* what, const void* at) {
  running_->what = what;
  running_->at = at;
  ++steps_;
  ++process_of(running_->process).steps;
  pass_time(of_step);
  record(what, at, 0);
  if (const auto* const r = regions_.at(at); r != nullptr && r->released)
    stop_running(ending::failed, running_->name + " accesses memory that was released");
  if (steps_ > how_.most_steps || now_ - stalled_ > how_.longest)
    stop_running(ending::endless, "this goes on for ever: " + waits());
  if (how_.stores != visibility::at_once && chance(steps_a_store_)) {
    store_buffer& any = fibers_[draw(fibers_.size())]->stores;
    any.drain_one(how_.stores == visibility::weak ? random_() : 0);
  }
  if (suffer_faults()) return reschedule();
  if (steps_a_turn_ != 0) {
    if (chance(steps_a_turn_)) reschedule();
  } else if (std::find(changes_.begin(), changes_.end(), steps_) != changes_.end()) {
    running_->priority = --lowest_;
    reschedule();
  }
}

void scheduler::give_way(const char* what) {
  step(what);
  pass_time(how_.turn);
  if (steps_a_turn_ == 0 && chance(2)) running_->priority = --lowest_;
  reschedule();
}

bool scheduler::sleep(const char* what, const void* at, std::optional<nanoseconds> at_most) {
  fiber& me = *running_;
  me.what = what;
  me.waits_on = name_everywhere(at);
  me.woken = false;
  me.until = at_most ? std::optional(now_ + *at_most) : std::nullopt;
  if (me.until) next_alarm_ = std::min(next_alarm_, *me.until);
  me.asleep_since = now_;
  me.is = fiber::state::asleep;
  reschedule();
  me.waits_on = nullptr;
  return me.woken;
}

void scheduler::sleep_on_word(const void* at, std::uint32_t expected, nanoseconds at_most) {
  step("falls asleep", at);
  pass_time(how_.turn);
  drain();
  const auto now = __atomic_load_n(static_cast<const std::uint32_t*>(at), __ATOMIC_SEQ_CST);
  note(now);
  if (now != expected || (how_.sleeps_end && chance(64))) return;
  sleep("sleeps", at, how_.sleeps_end ? std::optional(at_most) : std::nullopt);
}

void scheduler::wake(const void* place) {
  const void* const at = name_everywhere(place);
  for (const auto& f : fibers_)
    if (f->is == fiber::state::asleep && f->waits_on == at) {
      f->woken = true;
      f->is = fiber::state::ready;
    }
}

void scheduler::join(int thread) {
  const fiber* const other = fibers_[static_cast<std::size_t>(thread)].get();
  while (other->is != fiber::state::ended) sleep("joins", other, std::nullopt);
}

// What processes keep in memory that they map may be addresses, or numbers of the system's, which
// no seed repeats.
void scheduler::note(std::uint64_t value) noexcept {
  if (!last_.empty()) last_.back().value = value;
  if (const auto* const r = regions_.at(running_->at); r != nullptr && r->first != r->stands_for)
    return;
  trace_ = (trace_ ^ value) * 0x100000001b3;
}

void scheduler::record(const char* what, const void* at, std::uint64_t value) noexcept {
  const int thread = running_ == nullptr ? -1 : running_->number;
  const auto* const region = regions_.at(at);
  last_.push_back({thread, what, region == nullptr ? at : region->name_of(at), value, now_});
  if (last_.size() > shown_steps) last_.pop_front();
  const auto mix = [this](std::uint64_t x) { trace_ = (trace_ ^ x) * 0x100000001b3; };
  mix(static_cast<std::uint64_t>(thread));
  mix(static_cast<std::uint64_t>(now_.count()));
  for (const char* c = what; *c != 0; ++c) mix(static_cast<std::uint64_t>(*c));
  if (region != nullptr)
    mix(regions_.number_of(*region) << 32 |
        static_cast<std::uint64_t>(static_cast<const std::byte*>(at) - region->first));
}

void scheduler::fail(const std::string& why) {
  stop_running(ending::failed, why);
}

void scheduler::stop_running(ending how, std::string why) {
  verdict_.how = how;
  verdict_.why = std::move(why) + "\n" + deaths();
  if (how != ending::failed) verdict_.why += calls();
  verdict_.why += last_steps();
  for (;;) setcontext(&outside_);
}

bool scheduler::alive(int process) const noexcept {
  return !processes_[static_cast<std::size_t>(process)].dead;
}

int scheduler::number() const noexcept {
  return running_->number;
}

int scheduler::process() const noexcept {
  return running_->process;
}

store_buffer& scheduler::stores() noexcept {
  return running_->stores;
}

thread_locals& scheduler::own_of_thread() noexcept {
  return running_->own;
}

std::shared_ptr<void>& scheduler::own_of_process(const void* variable) {
  return process_of(running_->process).own[variable];
}

void scheduler::drain() {
  store_buffer& mine = running_->stores;
  const void* const at = running_->at;
  while (!mine.empty()) {
    mine.drain_one(how_.stores == visibility::weak ? random_() : 0);
    if (mine.empty()) break;
    step("drains");
    if (chance(2)) reschedule();
  }
  running_->at = at;
}

void scheduler::drain_all() noexcept {
  for (const auto& f : fibers_) f->stores.drain();
}

void scheduler::drain_process(int process) noexcept {
  for (const auto& f : fibers_)
    if (f->process == process) f->stores.drain();
}

bool scheduler::can_run(const fiber& f) const noexcept {
  const pretended_process& p = processes_[static_cast<std::size_t>(f.process)];
  return f.is == fiber::state::ready && !p.dead && p.goes_on_at <= now_;
}

void scheduler::pass_time(nanoseconds time) noexcept {
  now_ += time;
  end_sleeps();
}

void scheduler::end_sleeps() noexcept {
  if (now_ < next_alarm_) return;
  next_alarm_ = nanoseconds::max();
  for (const auto& f : fibers_) {
    if (f->is != fiber::state::asleep || !f->until) continue;
    if (*f->until <= now_)
      f->is = fiber::state::ready;
    else
      next_alarm_ = std::min(next_alarm_, *f->until);
  }
}

scheduler::fiber* scheduler::among_runnable() noexcept {
  fiber* chosen = nullptr;
  std::uint64_t n = 0;
  for (const auto& f : fibers_) {
    if (!can_run(*f)) continue;
    if (steps_a_turn_ != 0 ? chance(++n) : chosen == nullptr || f->priority > chosen->priority)
      chosen = f.get();
  }
  return chosen;
}

// To the moment when one can go on; returns false where there is none.
bool scheduler::leap() noexcept {
  std::optional<nanoseconds> next;
  for (const auto& f : fibers_) {
    const pretended_process& p = processes_[static_cast<std::size_t>(f->process)];
    if (p.dead || f->is == fiber::state::ended) continue;
    if (f->is == fiber::state::asleep && !f->until) continue;
    const nanoseconds when =
        std::max(f->is == fiber::state::asleep ? *f->until : now_, p.goes_on_at);
    if (!next || when < *next) next = when;
  }
  if (!next) return false;
  now_ = std::max(now_, *next + nanoseconds(draw(static_cast<std::uint64_t>(slack_.count()))));
  end_sleeps();
  return true;
}

scheduler::fiber* scheduler::choose() noexcept {
  fiber* next = among_runnable();
  while (next == nullptr) {
    drain_all();  // no store stays unseen for long
    if (!leap()) return nullptr;
    next = among_runnable();
  }
  return next;
}

void scheduler::reschedule() {
  fiber* const next = choose();
  if (next == nullptr) {
    const bool all_done = std::all_of(fibers_.begin(), fibers_.end(), [this](const auto& f) {
      return f->is == fiber::state::ended || f->waits_for_work || !alive(f->process);
    });
    if (!all_done) stop_running(ending::deadlock, "nobody can go on: " + waits());
    for (;;) setcontext(&outside_);
  }
  switch_to(next);
}

void scheduler::switch_to(fiber* next) noexcept {
  fiber* const before = std::exchange(running_, next);
  if (before == next) return;
  before->own.leave();
  next->own.enter();
  // Not by swapcontext, each of which makes a system call for the thread's signals.
  if (_setjmp(before->where) != 0) {
    if (asks_for_calls_) tell_calls();
    return;
  }
  if (std::exchange(next->begun, true)) _longjmp(next->where, 1);
  setcontext(&next->context);
}

}  // namespace oriel::sim
