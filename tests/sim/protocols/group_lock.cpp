// Ranks that enter a group lock and leave it: who is in with whom, what they see of each other, and
// that a rank which died or stands still as it waits keeps nobody out.
#include "sync/group_lock.hpp"

#include "tests/sim/protocols/all.hpp"

namespace oriel::sim {
namespace {

using sync::capacity;
using sync::lock_group;

class lockers final : public scene {
 public:
  lockers(scheduler& run, const program& p)
      : program_(p), lock_(run, "lock"), guarded_(run, "guarded") {
    for (int r = 0; r < p.ranks; ++r)
      run.start(r, "rank " + std::to_string(r), [this, r] { take_part(r); });
  }
  [[nodiscard]] std::string wrong() override {
    if (deaths_ || many()) return "";
    return guarded_->load() == passes_
               ? ""
               : "of " + std::to_string(passes_) + " additions under the lock remain " +
                     std::to_string(guarded_->load());
  }

 private:
  [[nodiscard]] bool many() const noexcept { return program_.variant == 1; }

  // The lock's holder may have died, once it is held and nobody who lives is in.
  class watch final : public simulated_watch {
   public:
    watch(const lockers& all, int me) noexcept
        : simulated_watch(me, all.program_.ranks), all_(all) {}
    [[nodiscard]] bool any_failed() const noexcept override {
      if (!simulated_watch::any_failed() || !all_.lock_->occupied()) return false;
      for (int r = 0; r < ranks_; ++r)
        if (all_.inside_[static_cast<std::size_t>(r)] && scheduler::active()->alive(r))
          return false;
      return true;
    }

   private:
    const lockers& all_;
  };

  void take_part(int me) {
    const watch peers(*this, me);
    const capacity c = many() ? capacity::many : capacity::one;
    for (const act& a : program_.acts) {
      if (a.rank != me) continue;
      dawdle();
      const auto group = a.what == 0 ? lock_group::shared : lock_group::exclusive;
      const errc entered = sync::enter(*lock_, group, c, me, peers);
      deaths_ = deaths_ || any_dead(program_.ranks);
      if (!succeeded(entered, program_.ranks, "an enter")) return;
      in(group) += 1;
      inside_[static_cast<std::size_t>(me)] = true;
      must(in(lock_group::shared) == 0 || in(lock_group::exclusive) == 0,
           "both groups are in the lock");
      must(many() || in(lock_group::exclusive) <= 1, "two ranks are alone in the lock");
      work(group, a.n);
      in(group) -= 1;
      inside_[static_cast<std::size_t>(me)] = false;
      must(sync::leave(*lock_, group) == errc::success, "a leave of one that is in is refused");
    }
    deaths_ = deaths_ || any_dead(program_.ranks);
  }
  void work(lock_group group, int length) {
    if (group == lock_group::exclusive && !many()) {
      const std::uint32_t before = guarded_->load(std::memory_order_relaxed);
      if (length == most_work) sync::sleep_for(std::chrono::milliseconds(130));
      guarded_->store(before + 1, std::memory_order_relaxed);
      ++passes_;
    }
    for (int i = 0; i < length; ++i) guarded_->load(std::memory_order_relaxed);
  }
  int& in(lock_group g) noexcept { return counts_[g == lock_group::shared ? 0 : 1]; }

  friend class of_group_lock;
  static constexpr int most_work = 6;

  program program_;
  shared_object<sync::group_lock_state> lock_;
  shared_object<std::atomic<std::uint32_t>> guarded_;
  int counts_[2] = {0, 0};
  std::array<bool, 16> inside_{};
  std::uint32_t passes_ = 0;
  bool deaths_ = false;
};

class of_group_lock final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "group_lock"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    p.ranks = 2 + random.below(most_ranks - 1);
    p.variant = random.below(3) == 0 ? 1 : 0;
    for (int i = 2 + random.below(4 * p.ranks); i > 0; --i)
      p.acts.push_back(
          {random.below(p.ranks), random.below(2), 0, random.below(lockers::most_work + 1)});
    return p;
  }
  [[nodiscard]] std::string in_words(const program& p, const act& a) const override {
    return "rank " + std::to_string(a.rank) + " is in as " +
           (a.what == 0 ? "one of many that share"
                        : (p.variant == 1 ? "one of many that exclude those" : "the only one")) +
           ", for " + std::to_string(a.n) + " steps";
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<lockers>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_group_lock() {
  return std::make_unique<of_group_lock>();
}

}  // namespace oriel::sim
