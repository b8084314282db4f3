// Ranks that depart from a block of shared memory: one releases it, and nobody accesses it then.
#include "sync/last_out.hpp"

#include <algorithm>

#include "tests/sim/protocols/all.hpp"

namespace oriel::sim {
namespace {

enum : int { departs, leaves_first, stays_out };

// An act is how a rank goes; one that has none departs at once.
class departures final : public scene {
 public:
  departures(scheduler& run, const program& p)
      : run_(run), program_(p), block_(run, sync::last_out::bytes(p.ranks), "block") {
    for (int r = 0; r < p.ranks; ++r)
      run.start(r, "rank " + std::to_string(r), [this, r] { take_part(r); });
  }
  [[nodiscard]] std::string wrong() override {
    return must_release_ && died() == deaths_ && releases_ == 0 ? "nobody has released the block"
                                                                : "";
  }

 private:
  void take_part(int me) {
    sync::last_out ranks(block_.get(), program_.ranks);
    const auto alive = [](int r) {
      scheduler::active()->step("looks who is alive");
      return scheduler::active()->alive(r);
    };
    act how{me, departs, 0, 0};
    for (const act& a : program_.acts)
      if (a.rank == me) how = a;
    for (int i = 0; i < 4; ++i) sync::yield();
    if (how.n != 0) sync::sleep_for(std::chrono::milliseconds(how.n));
    if (how.what == leaves_first) {
      ranks.leave(me);
      while (!ranks.all_have_left(alive)) sync::sleep_for(std::chrono::milliseconds(1));
    }
    dawdle();
    begun_[static_cast<std::size_t>(me)] = true;
    note_duty();
    if (ranks.depart(me, alive, how.what == stays_out)) {
      must(++releases_ == 1, "the block is released twice");
      scheduler::active()->release(block_.get());
    }
  }
  // Somebody is to release the block where nobody dies from now on, and nobody has as it departed.
  // A death behind the last one's first step may leave the block.
  void note_duty() {
    must_release_ = true;
    deaths_ = died();
    for (int r = 0; r < program_.ranks; ++r)
      must_release_ = must_release_ && (run_.alive(r) || !begun_[static_cast<std::size_t>(r)]);
  }
  [[nodiscard]] int died() const {
    int n = 0;
    for (int r = 0; r < program_.ranks; ++r) n += run_.alive(r) ? 0 : 1;
    return n;
  }

  scheduler& run_;
  program program_;
  shared_room block_;
  int releases_ = 0;
  std::array<bool, 8> begun_{};
  int deaths_ = 0;
  bool must_release_ = false;
};

class of_last_out final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "last_out"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    p.ranks = std::min(most_ranks, 2 + random.below(most_ranks));
    for (int r = 0; r < p.ranks; ++r)
      p.acts.push_back({r, random.below(3), 0, random.below(2) * random.below(4)});
    return p;
  }
  [[nodiscard]] std::string in_words(const program&, const act& a) const override {
    return "rank " + std::to_string(a.rank) +
           (a.what == departs        ? " departs"
            : a.what == leaves_first ? " leaves, and departs when all have left"
                                     : " stays out") +
           ", after " + std::to_string(a.n) + " ms";
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<departures>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_last_out() {
  return std::make_unique<of_last_out>();
}

}  // namespace oriel::sim
