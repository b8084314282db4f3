#include "tests/drivers/ptx/grid.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "tests/drivers/ptx/barriers.hpp"

namespace oriel::test_driver::ptx {
namespace {

constexpr std::uint64_t most_resident_threads = 4096;

std::string text_of(const shape& s) {
  return "(" + std::to_string(s.x) + ", " + std::to_string(s.y) + ", " + std::to_string(s.z) + ")";
}

// Stacks of blocks that have ended, for the next ones: to map them afresh takes longer than to run
// a small kernel.
class stack_pool {
 public:
  stacks take(std::size_t bytes) {
    const std::lock_guard hold(mutex_);
    const auto fits =
        std::ranges::find_if(free_, [&](const stacks& s) { return s.bytes >= bytes; });
    if (fits == free_.end()) return {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
    stacks found = std::move(*fits);
    free_.erase(fits);
    return found;
  }
  void give_back(stacks s) {
    const std::lock_guard hold(mutex_);
    if (free_.size() < most) free_.push_back(std::move(s));
  }

 private:
  static constexpr std::size_t most = 64;
  std::mutex mutex_;
  std::vector<stacks> free_;
};
stack_pool& pool() {
  static auto& all = *new stack_pool;
  return all;
}

std::unique_ptr<block> block_of(grid& g, std::uint64_t number, room::place resident) {
  auto b = std::make_unique<block>();
  b->resident = std::move(resident);
  b->in = &g;
  b->index = g.blocks.place(number);
  b->shared.resize(g.code->shared_bytes + g.dynamic_shared);
  b->written.resize(b->shared.size());
  b->threads.resize(g.threads.size());
  b->of_warps.resize(b->warps());
  const std::uint32_t each = g.kernel->stack_bytes;
  b->memory = pool().take(b->threads.size() * each);
  for (unsigned i = 0; i < b->threads.size(); ++i) {
    thread& t = b->threads[i];
    t.in = b.get();
    t.number = i;
    t.lane = i % lanes;
    t.index = g.threads.place(i);
    t.stack = b->memory.at.get() + std::size_t{i} * each;
    t.stack_bytes = each;
    if (g.turns.how() == policy::late) t.view.share(g.past);
    enter(t, *g.kernel, nullptr);
    std::ranges::copy(g.parameters, t.now.parameters);
  }
  return b;
}

class runner {
 public:
  explicit runner(grid& g) : grid_(g), turns_(g.turns) { starved_ = turns_.below(64); }

  void all() {
    const std::uint64_t blocks = grid_.blocks.size();
    for (std::uint64_t next = 0; next < blocks || !resident_.empty();) {
      while (next < blocks && (resident_.empty() ||
                               resident_.size() * grid_.threads.size() < most_resident_threads)) {
        auto place = resident_.empty() ? room::take() : room::take_if_there();
        if (!place) break;
        resident_.push_back(block_of(grid_, next++, std::move(place)));
      }
      one_turn();
      std::erase_if(resident_, [](auto& b) {
        if (b->ended < b->threads.size()) return false;
        for (thread& t : b->threads) t.view.release();
        pool().give_back(std::move(b->memory));
        return true;
      });
    }
  }
  const thread* running() const { return running_; }

 private:
  struct warp {
    block* in = nullptr;
    unsigned number = 0;
    std::span<thread> threads() const {
      const std::size_t first = std::size_t{number} * lanes;
      return {in->threads.data() + first, std::min<std::size_t>(lanes, in->threads.size() - first)};
    }
    bool can_run() const {
      return std::ranges::any_of(threads(),
                                 [](const thread& t) { return t.state == standing::running; });
    }
  };
  warp nth(std::uint64_t n) const {
    const std::uint64_t each = resident_.front()->warps();
    return {resident_[n / each].get(), static_cast<unsigned>(n % each)};
  }

  // A warp that can run, by the policy. Threads that sleep let others go first.
  warp chosen() {
    for (;;) {
      if (++turn_ % 256 == 0) wake_all();
      if (const auto w = awake()) return *w;
      if (!wake_all()) nobody_can_run();
      // They wait for a host, or for another kernel.
      if (!host_takes_turn()) std::this_thread::yield();
    }
  }
  // False where the host has no part in the schedule.
  bool host_takes_turn() {
    if (grid_.host.turn == nullptr) return false;
    running_ = nullptr;
    if (!grid_.host.turn(grid_.host.argument)) throw error(0, "the host has waited for too long");
    return true;
  }
  std::optional<warp> awake() {
    const std::uint64_t warps = resident_.size() * resident_.front()->warps();
    const bool in_turn = turns_.how() == policy::in_turn;
    const std::uint64_t first = in_turn ? ++last_ : turns_.below(warps);
    const bool spare = turns_.how() == policy::starved && !turns_.chance(256);
    for (std::uint64_t k = 0; k < warps; ++k) {
      const std::uint64_t n = (first + k) % warps;
      if (spare && n == starved_ % warps) continue;
      const warp w = nth(n);
      if (!w.can_run()) continue;
      if (in_turn) last_ = n;
      return w;
    }
    if (const warp w = nth(starved_ % warps); spare && w.can_run()) return w;
    return std::nullopt;
  }
  bool wake_all() {
    bool some = false;
    for (const auto& b : resident_)
      for (thread& t : b->threads)
        if (t.state == standing::asleep) {
          t.state = standing::running;
          some = true;
        }
    return some;
  }
  [[noreturn]] void nobody_can_run() {
    for (const auto& b : resident_)
      for (const thread& t : b->threads)
        if (t.state != standing::ended) {
          running_ = &t;
          throw error(t.pc->line, "a barrier that others do not reach");
        }
    throw error(0, "no thread can run");
  }

  // The threads of the warp that go on together: they are at one place.
  std::size_t gather(const warp& w) {
    std::array<thread*, lanes> able{};
    std::size_t n = 0;
    for (thread& t : w.threads())
      if (t.state == standing::running) able[n++] = &t;
    const std::span<thread*> those(able.data(), n);
    const bool lagging_first = turns_.how() == policy::in_turn && ++gathered_ % 4 != 0;
    const thread& leader =
        lagging_first ? **std::ranges::min_element(those, behind) : *able[turns_.below(n)];
    const bool alone = turns_.reorders() && turns_.chance(2);
    together_ = 0;
    for (thread* const t : those)
      if (t == &leader || (!alone && t->pc == leader.pc)) group_[together_++] = t;
    return together_;
  }
  // Deeper calls and earlier places first, so that threads of one warp meet again.
  static bool behind(const thread* a, const thread* b) {
    return a->callers.size() != b->callers.size() ? a->callers.size() > b->callers.size()
                                                  : a->pc < b->pc;
  }

  void one_turn() {
    const warp w = chosen();
    if (grid_.host.turn != nullptr && turns_.chance(8)) host_takes_turn();
    if (turns_.reorders()) {
      drift(w);
      drift(nth(turns_.below(resident_.size() * w.in->warps())));
    }
    if (turns_.how() == policy::lockstep) return one_turn_in_lockstep(w);
    gather(w);
    const std::uint64_t steps = turns_.how() == policy::in_turn ? 64 : 1 + turns_.below(32);
    for (std::uint64_t k = 0; k < steps && together_ != 0; ++k)
      if (!one_step()) break;
    if (turns_.reorders())
      for (std::size_t k = 0; k < together_; ++k) look_ahead(*group_[k]);
    complete_warp_barrier(*w.in, w.number);
    complete_block_barrier(*w.in);
  }

  // Up to a branch, or to where its lanes meet others.
  void one_turn_in_lockstep(const warp& w) {
    sides& all = w.in->of_warps[w.number];
    const std::uint32_t group = lockstep_.next(all, w.threads());
    if (group == 0) return;
    const thread& first = w.threads()[static_cast<std::size_t>(std::countr_zero(group))];
    for (;;) {
      const instruction& i = *first.pc;
      const function& in = *first.now.code;
      const std::size_t depth = first.callers.size();
      for (thread& t : w.threads())
        if ((group >> t.lane & 1u) != 0) perform(t, i);
      if (i.ends_group) {
        lockstep_.parted(all, w.threads(), group, i, in, depth, turns_);
        break;
      }
      if (first.pc == all.back().meet && depth == all.back().depth) break;
    }
    complete_warp_barrier(*w.in, w.number);
    complete_block_barrier(*w.in);
  }

  void drift(const warp& w) {
    for (thread& t : w.threads()) {
      t.view.drift(turns_);
      // Where a host of another thread answers, threads that are awake keep it from running.
      const bool wakes = grid_.host.turn != nullptr && t.state == standing::asleep;
      if (wakes && turns_.chance(8)) t.state = standing::running;
    }
  }

  // Loads that follow an update may be performed before it, unless it acquires: now, and others
  // take turns before the update.
  void look_ahead(thread& t) {
    const instruction& next = *t.pc;
    if (!next.updates || next.ordering == order::acquire || next.ordering == order::acq_rel ||
        next.guard >= 0)
      return;
    const reached place = reach(t, next, address_of(t, next.op[1]), size_of(next.of));
    if (place.global) t.view.look_ahead(place.at);
  }

  // One instruction of all threads that are together. False ends the turn.
  bool one_step() {
    const instruction& i = *group_[0]->pc;
    for (std::size_t k = 0; k < together_; ++k) perform(*group_[k], i);
    if (i.ends_group) {
      thread* first = nullptr;
      for (std::size_t k = 0; k < together_; ++k)
        if (group_[k]->state == standing::running && (first == nullptr || behind(group_[k], first)))
          first = group_[k];
      std::size_t kept = 0;
      for (std::size_t k = 0; k < together_; ++k)
        if (group_[k]->state == standing::running && group_[k]->pc == first->pc)
          group_[kept++] = group_[k];
      together_ = kept;
    }
    const bool seam = turns_.parts_at_order() && together_ != 0 &&
                      (i.orders || group_[0]->pc->orders) && turns_.chance(2);
    return !seam;
  }

  void perform(thread& t, const instruction& i) {
    running_ = &t;
    if (grid_.counter != nullptr) t.touched.step();
    if (i.guard >= 0 && ((t.now.registers[i.guard] & 1) != 0) == i.guard_negated) {
      ++t.pc;
      return;
    }
    switch (i.run(t, i)) {
      case outcome::next:
        ++t.pc;
        break;
      case outcome::left:
        t.state = standing::ended;  // its stores may still be under way
        ++t.in->ended;
        if (grid_.counter != nullptr) grid_.counter->add(t.touched);
        break;
      case outcome::jumped:
      case outcome::waits:
        break;
    }
  }

  grid& grid_;
  schedule& turns_;
  std::deque<std::unique_ptr<block>> resident_;
  lockstep lockstep_;
  std::array<thread*, lanes> group_{};
  std::size_t together_ = 0;
  std::uint64_t turn_ = 0, last_ = 0, gathered_ = 0, starved_ = 0;
  const thread* running_ = nullptr;
};

}  // namespace

void enter(thread& t, const function& f, const instruction* call_site) {
  const auto up = [](std::size_t n) { return (n + 15) / 16 * 16; };
  std::byte* at = t.stack;
  if (call_site != nullptr) {
    at = std::bit_cast<std::byte*>(t.now.registers) + t.now.code->frame_bytes;
    t.callers.push_back(t.now);
  }
  t.now.code = &f;
  t.now.call_site = call_site;
  t.now.registers = std::bit_cast<std::uint64_t*>(at);
  t.now.parameters = at + up(std::size_t{f.registers} * 8);
  t.now.local = t.now.parameters + up(f.parameter_bytes);
  t.pc = f.code.data();
}

std::uint64_t nanoseconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
}

void run(grid& g) {
  runner r(g);
  try {
    r.all();
  } catch (const error& e) {
    const thread* const t = r.running();
    std::string what = "kernel " + g.kernel->name;
    if (t != nullptr) what += ", block " + text_of(t->in->index) + ", thread " + text_of(t->index);
    if (e.line > 0 && e.line <= g.code->lines.size())
      what += ", at `" + std::string(g.code->lines[e.line - 1]) + "`";
    throw kernel_failure(what + ": " + e.what() + " (" + g.turns.text() + ")");
  }
}

}  // namespace oriel::test_driver::ptx
