// Barriers one after the other, some with a signature that differs at one rank, some with a letter.
#include "sync/barrier.hpp"

#include "tests/sim/protocols/all.hpp"

namespace oriel::sim {
namespace {

enum : int { plain, differing, with_letter };

class barriers final : public scene {
 public:
  barriers(scheduler& run, const program& p)
      : program_(p),
        block_(run, sync::node_barrier::bytes(p.ranks), "barrier"),
        stored_(run, "stored") {
    for (int r = 0; r < p.ranks; ++r)
      run.start(r, "rank " + std::to_string(r), [this, r] { take_part(r); });
  }

 private:
  struct words {
    std::array<std::atomic<std::uint32_t>, 16> by_rank;
  };

  void take_part(int me) {
    const simulated_watch watch(me, program_.ranks);
    sync::node_barrier barrier(block_.get(), me, program_.ranks, watch);
    std::uint32_t turn = 0;
    for (const act& a : program_.acts) {
      ++turn;
      dawdle();
      stored_->by_rank[static_cast<std::size_t>(me)].store(turn, std::memory_order_relaxed);
      const bool letters = a.what == with_letter && barrier.carries_letters();
      if (letters && a.rank == me) barrier.enclose(letter_of(a, turn));
      const bool differs = a.what == differing && a.rank == me;
      const errc e = barrier.arrive_and_wait(std::uint64_t{1} << (differs ? 50 : 51));
      if (a.what == differing && program_.ranks > 1) {
        if (e != errc::mismatched_collective && !succeeded(e, program_.ranks, "a barrier")) return;
        must(e != errc::success, "a barrier has not found that signatures differ");
      } else if (!succeeded(e, program_.ranks, "a barrier")) {
        return;
      }
      for (int r = 0; r < program_.ranks; ++r)
        must(stored_->by_rank[static_cast<std::size_t>(r)].load(std::memory_order_relaxed) >= turn,
             "what was stored before a barrier is not read behind it");
      int seen = 0;
      barrier.for_each_letter([&](const sync::letter& l) {
        ++seen;
        must(letters && l.to == a.other && l.from == a.rank && l.address == turn,
             "a letter is not what was enclosed");
      });
      must(seen == (letters ? 1 : 0), "a letter is seen so often: " + std::to_string(seen));
    }
  }
  static sync::letter letter_of(const act& a, std::uint32_t turn) noexcept {
    sync::letter l;
    l.address = turn;
    l.from = a.rank;
    l.to = a.other;
    l.bytes = 8;
    return l;
  }

  program program_;
  shared_room block_;
  shared_object<words> stored_;
};

class of_barrier final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "barrier"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    p.ranks = random.below(4) == 0 ? sync::node_barrier::widest_flat + 1
                                   : 2 + random.below(most_ranks - 1);
    for (int i = 1 + random.below(5); i > 0; --i)
      p.acts.push_back({random.below(p.ranks), random.below(3), random.below(p.ranks), 0});
    return p;
  }
  [[nodiscard]] std::string in_words(const program&, const act& a) const override {
    const std::string rank = "rank " + std::to_string(a.rank);
    return a.what == plain ? "a barrier"
           : a.what == differing
               ? "a barrier, where " + rank + " has another signature"
               : "a barrier with a letter from " + rank + " to rank " + std::to_string(a.other);
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<barriers>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_barrier() {
  return std::make_unique<of_barrier>();
}

}  // namespace oriel::sim
