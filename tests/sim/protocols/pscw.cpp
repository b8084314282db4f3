// Rounds of post, start, complete and wait, of any origins and any targets: accesses fall into
// exposures, and what an origin stored is there at the end. Some leave letters.
#include "sync/pscw.hpp"

#include "tests/sim/protocols/all.hpp"

namespace oriel::sim {
namespace {

constexpr std::size_t most = 8;

// `other`: the origins, `n`: the targets, a bit each. `what`: whether targets test instead of
// waiting.
class rounds final : public scene {
 public:
  rounds(scheduler& run, const program& p)
      : program_(p), block_(run, sync::pscw::bytes(p.ranks), "pscw"), memory_(run, "memory") {
    for (int r = 0; r < p.ranks; ++r)
      run.start(r, "rank " + std::to_string(r), [this, r] { take_part(r); });
  }

 private:
  struct words {
    std::array<std::atomic<std::uint32_t>, most> exposed;        // by target
    std::array<std::atomic<std::uint32_t>, most * most> stored;  // by target and origin
  };

  [[nodiscard]] std::vector<rank> ranks_of(int bits) const {
    std::vector<rank> all;
    for (int r = 0; r < program_.ranks; ++r)
      if ((bits >> r & 1) != 0) all.push_back(rank{r});
    return all;
  }
  [[nodiscard]] std::atomic<std::uint32_t>& cell(int target, int origin) const {
    return memory_
        ->stored[static_cast<std::size_t>(target) * most + static_cast<std::size_t>(origin)];
  }

  void take_part(int me) {
    const simulated_watch watch(me, program_.ranks);
    sync::pscw mine(block_.get(), me, program_.ranks, watch);
    for (std::size_t i = 0; i < program_.acts.size(); ++i) {
      const act& a = program_.acts[i];
      const auto round = static_cast<std::uint32_t>(i + 1);
      const std::vector<rank> origins = ranks_of(a.other), targets = ranks_of(a.n);
      dawdle();
      const bool exposes = (a.n >> me & 1) != 0;
      if (exposes) {
        memory_->exposed[static_cast<std::size_t>(me)].store(round, std::memory_order_relaxed);
        must(mine.post(origins) == errc::success, "a post is refused");
      }
      if ((a.other >> me & 1) != 0 && !access(mine, me, round, targets)) return;
      if (exposes && !end_exposure(mine, me, round, a, origins)) return;
    }
  }
  bool access(sync::pscw& mine, int me, std::uint32_t round, const std::vector<rank>& targets) {
    if (!succeeded(mine.start(targets), program_.ranks, "a start")) return false;
    for (const rank t : targets) {
      must(memory_->exposed[static_cast<std::size_t>(t.value)].load(std::memory_order_relaxed) ==
               round,
           "an access falls out of its exposure");
      cell(t.value, me).store(round, std::memory_order_relaxed);
      sync::letter l;
      l.address = round;
      l.from = me;
      l.to = t.value;
      l.bytes = 8;
      if (mine.enclose(l)) enclosed_[static_cast<std::size_t>(t.value)] = round;
    }
    dawdle();
    must(mine.complete() == errc::success, "a complete is refused");
    return true;
  }
  bool end_exposure(sync::pscw& mine, int me, std::uint32_t round, const act& a,
                    const std::vector<rank>& origins) {
    errc e = errc::success;
    bool done = a.what == 0;
    if (done) e = mine.wait(nullptr);
    while (!done && e == errc::success) {
      e = mine.wait(&done);
      if (!done) sync::sleep_for(std::chrono::milliseconds(1));
    }
    if (!succeeded(e, program_.ranks, "a wait")) return false;
    for (const rank o : origins)
      must(cell(me, o.value).load(std::memory_order_relaxed) == round,
           "what an origin stored is not there when the exposure has ended");
    const sync::letter* const l = mine.received();
    const bool expected = enclosed_[static_cast<std::size_t>(me)] == round;
    must((l != nullptr) == expected, "a letter is lost, or is there twice");
    must(l == nullptr || (l->address == round && l->to == me && l->from == origins.front().value),
         "a letter is not what was enclosed");
    if (l != nullptr) mine.close_letter();
    return true;
  }

  program program_;
  shared_room block_;
  shared_object<words> memory_;
  std::array<std::uint32_t, most> enclosed_{};
};

class of_pscw final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "pscw"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    p.ranks = 2 + random.below(most_ranks - 1);
    const int everybody = (1 << p.ranks) - 1;
    for (int i = 1 + random.below(5); i > 0; --i)
      p.acts.push_back(
          {0, random.below(4) / 3, 1 + random.below(everybody), 1 + random.below(everybody)});
    return p;
  }
  [[nodiscard]] std::string in_words(const program& p, const act& a) const override {
    const auto list = [&p](int bits) {
      std::string text;
      for (int r = 0; r < p.ranks; ++r)
        if ((bits >> r & 1) != 0) text += " " + std::to_string(r);
      return text;
    };
    return "ranks" + list(a.other) + " access ranks" + list(a.n) +
           (a.what == 0 ? ", which wait" : ", which test");
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<rounds>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_pscw() {
  return std::make_unique<of_pscw>();
}

}  // namespace oriel::sim
