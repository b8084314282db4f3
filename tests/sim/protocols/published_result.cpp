// Results that rank 0 offers, one after the other, and that the others find or wait for: each is
// the one that was asked for, or none.
#include "sync/published_result.hpp"

#include "tests/sim/protocols/all.hpp"

namespace oriel::sim {
namespace {

enum : int { collects, looks };

// One act, one result; its rank asks for it. The maker goes on when the one that asks has it, but
// for the last two, which stay.
class results final : public scene {
 public:
  results(scheduler& run, const program& p)
      : program_(p), result_(run, "result"), taken_(run, "taken") {
    for (int r = 0; r < p.ranks; ++r)
      run.start(r, "rank " + std::to_string(r), [this, r] { r == 0 ? offer() : ask(r); });
  }

 private:
  // Of the maker alone, which may have died or have given up.
  class maker_watch final : public simulated_watch {
   public:
    explicit maker_watch(const results& all) noexcept : simulated_watch(-1, 1), all_(all) {}
    [[nodiscard]] bool any_failed() const noexcept override {
      return simulated_watch::any_failed() || all_.maker_gave_up_;
    }

   private:
    const results& all_;
  };

  static sync::published_result::content content_of(std::uint64_t id) noexcept {
    return {id * 1000 + 1, id * 1000 + 2};
  }
  void offer() {
    const simulated_watch watch(0, program_.ranks);
    for (std::size_t i = 0; i < program_.acts.size(); ++i) {
      dawdle();
      result_->offer(i + 1, content_of(i + 1));
      const std::uint32_t least = i == 0 ? 0 : static_cast<std::uint32_t>(i);
      const errc e =
          sync::wait_for(*taken_, watch, [least](std::uint32_t taken) { return taken >= least; });
      maker_gave_up_ = !succeeded(e, program_.ranks, "a wait");
      if (maker_gave_up_) return;
    }
  }
  void ask(int me) {
    const maker_watch watch(*this);
    for (std::size_t i = 0; i < program_.acts.size(); ++i) {
      const act& a = program_.acts[i];
      const std::uint64_t id = i + 1;
      sync::published_result::content found;
      if (a.rank != me) {
        dawdle();
        for (int look = 0; look < 4; ++look)
          if (const std::uint64_t wanted = id - (id > 1 ? look % 2 : 0);
              result_->find(wanted, found))
            check(wanted, found);
        continue;
      }
      if (a.what == looks)
        while (!result_->find(id, found)) {
          if (watch.any_failed()) return;
          sync::sleep_for(std::chrono::milliseconds(1));
        }
      else if (!succeeded(result_->collect(id, watch, found), program_.ranks, "a collect"))
        return;
      check(id, found);
      // In the order of the acts.
      const errc e = sync::wait_for(*taken_, simulated_watch(me, program_.ranks),
                                    [id](std::uint32_t taken) { return taken + 1 == id; });
      if (!succeeded(e, program_.ranks, "a wait")) return;
      taken_->value.fetch_add(1);
      sync::wake_all(*taken_);
    }
  }
  static void check(std::uint64_t id, const sync::published_result::content& found) {
    const auto right = content_of(id);
    must(found.first == right.first && found.second == right.second,
         "result " + std::to_string(id) + " is another's");
  }

  program program_;
  shared_object<sync::published_result> result_;
  shared_object<sync::wait_word> taken_;
  bool maker_gave_up_ = false;
};

class of_published_result final : public protocol {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "published_result"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    p.ranks = 2 + random.below(most_ranks - 1);
    for (int i = 1 + random.below(6); i > 0; --i)
      p.acts.push_back({1 + random.below(p.ranks - 1), random.below(2), 0, 0});
    return p;
  }
  [[nodiscard]] std::string in_words(const program&, const act& a) const override {
    return "rank 0 offers a result, which rank " + std::to_string(a.rank) +
           (a.what == collects ? " waits for" : " looks for");
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<results>(run, p);
  }
};

}  // namespace

std::unique_ptr<protocol> simulated_published_result() {
  return std::make_unique<of_published_result>();
}

}  // namespace oriel::sim
