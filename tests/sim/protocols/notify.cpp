// Notifications: ranks add to the counters of rank 0, where some are refused. Rank 0 waits for any
// of them until all are there, and a second thread of it for each in turn; or each rank waits
// before it adds until rank 0 has seen what was added before, so that no wake may be lost.
#include "sync/notify_choice.hpp"
#include "sync/system.hpp"
#include "tests/sim/protocols/all.hpp"

namespace oriel::sim {
namespace {

constexpr int counters = 2;
enum : int { adds, is_refused };
constexpr auto never = static_cast<std::uint64_t>(-1) / 2;

class notifications final : public scene {
 public:
  notifications(scheduler& run, const program& p)
      : program_(p), counters_(run, "counters"), stored_(run, "stored") {
    for (const act& a : p.acts) {
      total_[a.other] += static_cast<std::uint64_t>(a.n);
      refused_[a.other] = refused_[a.other] || a.what == is_refused;
    }
    if (in_turn()) {
      run.start(0, "the waiter", [this] { wait_in_turn(); });
    } else {
      run.start(0, "the waiter", [this] { wait_for_all(); });
      run.start(0, "the other waiter", [this] { wait_for_each(); });
    }
    for (int r = 1; r < p.ranks; ++r)
      run.start(r, "rank " + std::to_string(r), [this, r] { take_part(r); });
  }

 private:
  struct state {
    std::array<sync::notify_counter_state, counters> of;
    sync::notify_counter_state seen;  // how many acts rank 0 has seen, where they come in turn
  };
  [[nodiscard]] bool in_turn() const noexcept { return program_.variant == 1; }
  struct words {
    std::array<std::atomic<std::uint32_t>, 64> of;
  };

  void take_part(int me) {
    const simulated_watch watch(me, program_.ranks);
    for (std::size_t i = 0; i < program_.acts.size(); ++i) {
      const act& a = program_.acts[i];
      if (a.rank != me) continue;
      if (in_turn() &&
          !succeeded(counters_->seen.wait_at_least(i, watch), program_.ranks, "a wait"))
        return;
      dawdle();
      stored_->of[i].store(1, std::memory_order_relaxed);
      sync::notify_counter_state& counter = counters_->of[static_cast<std::size_t>(a.other)];
      if (a.what == adds)
        counter.add(static_cast<std::uint64_t>(a.n));
      else
        counter.refuse(errc::disp, static_cast<std::uint64_t>(a.n));
    }
    for (int i = 0; i < 8; ++i) sync::yield();  // it may still die
  }
  // Returns whether the waiter goes on.
  bool judge(errc e, int counter) {
    if (refused_[counter] && e == errc::disp) return true;
    if (!succeeded(e, program_.ranks, "a wait")) {
      // Who would have added has died by then, where it was the only one.
      must(program_.ranks > 2 ||
               !counters_->of[static_cast<std::size_t>(counter)].is_decided(total_[counter]),
           "a wait fails for a count that was reached");
      return false;
    }
    must(!refused_[counter] || total_[counter] == 0, "a wait overlooks a refusal");
    for (std::size_t i = 0; i < program_.acts.size(); ++i)
      must(program_.acts[i].other != counter || stored_->of[i].load(std::memory_order_relaxed) == 1,
           "what was stored before a notification is not read behind it");
    return true;
  }
  void wait_in_turn() {
    const simulated_watch watch(0, program_.ranks);
    std::array<std::uint64_t, counters> sum{};
    std::array<bool, counters> any_refused{};
    for (std::size_t i = 0; i < program_.acts.size(); ++i) {
      const auto k = static_cast<std::size_t>(program_.acts[i].other);
      sum[k] += static_cast<std::uint64_t>(program_.acts[i].n);
      any_refused[k] = any_refused[k] || program_.acts[i].what == is_refused;
      std::array<std::uint64_t, counters> wanted;
      wanted.fill(never);
      wanted[k] = sum[k];
      const errc e = i % 2 == 0 ? counters_->of[k].wait_at_least(sum[k], watch)
                                : sync::notify_choice(counters_->of.data(), 0, wanted).wait(watch);
      if (any_refused[k])
        must(e == errc::disp || e == errc::peer_failed, "a wait overlooks a refusal");
      else if (!succeeded(e, program_.ranks, "a wait"))
        return;
      must(e == errc::peer_failed || stored_->of[i].load(std::memory_order_relaxed) == 1,
           "what was stored before a notification is not read behind it");
      counters_->seen.add(1);
    }
  }
  void wait_for_each() {
    dawdle();
    const simulated_watch watch(0, program_.ranks);
    for (int k = 0; k < counters; ++k)
      if (!judge(counters_->of[static_cast<std::size_t>(k)].wait_at_least(total_[k], watch), k))
        return;
  }
  void wait_for_all() {
    const simulated_watch watch(0, program_.ranks);
    std::array<std::uint64_t, counters> wanted{total_[0], total_[1]};
    for (int left = counters; left > 0; --left) {
      dawdle();
      sync::notify_choice choice(counters_->of.data(), 0, wanted);
      const errc e = choice.wait(watch);
      if (e == errc::disp) {
        must(refused_[0] || refused_[1], "a wait reports a refusal, and there was none");
        return;
      }
      if (!succeeded(e, program_.ranks, "a wait for any")) return;
      const auto reached = choice.reached();
      must(reached.has_value(), "a wait for any has ended, and none is reached");
      if (!judge(errc::success, static_cast<int>(*reached))) return;
      wanted[*reached] = never;
    }
  }

  program program_;
  shared_object<state> counters_;
  shared_object<words> stored_;
  std::uint64_t total_[counters] = {0, 0};
  bool refused_[counters] = {false, false};
};

class of_notify final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "notify"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    p.ranks = 2 + random.below(most_ranks - 1);
    p.variant = random.below(2);
    const bool refusals = random.below(4) == 0;
    for (int i = 1 + random.below(3 * p.ranks); i > 0; --i)
      p.acts.push_back({1 + random.below(p.ranks - 1),
                        refusals && random.below(3) == 0 ? is_refused : adds,
                        random.below(counters), 1 + random.below(3)});
    return p;
  }
  [[nodiscard]] std::string in_words(const program&, const act& a) const override {
    return "rank " + std::to_string(a.rank) + (a.what == adds ? " adds " : " is refused ") +
           std::to_string(a.n) + " to counter " + std::to_string(a.other);
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<notifications>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_notify() {
  return std::make_unique<of_notify>();
}

}  // namespace oriel::sim
