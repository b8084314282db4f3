// What a seed that fails is reported by: a program made small, and the way to repeat it.
#include "tests/sim/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace oriel::sim {
namespace {

// Ranks add to a word by a load and a store, which is wrong; or wait for what never comes.
class careless final : public protocol {
 public:
  explicit careless(bool waits) noexcept : waits_(waits) {}
  [[nodiscard]] const char* name() const noexcept override { return "careless"; }
  [[nodiscard]] program draw(randomness& random, int most_ranks) const override {
    program p;
    p.ranks = most_ranks;
    for (int i = 0; i < 16; ++i) p.acts.push_back({random.below(p.ranks), 0, 0, 1});
    return p;
  }
  [[nodiscard]] std::string in_words(const program&, const act& a) const override {
    return "rank " + std::to_string(a.rank) + " adds";
  }
  [[nodiscard]] std::unique_ptr<scene> begin(scheduler& run, const program& p) const override {
    return std::make_unique<additions>(run, p, waits_);
  }

 private:
  class additions final : public scene {
   public:
    additions(scheduler& run, const program& p, bool waits)
        : program_(p), waits_(waits), word_(run, "sum") {
      for (int r = 0; r < p.ranks; ++r)
        run.start(r, "rank " + std::to_string(r), [this, r] { add(r); });
    }
    [[nodiscard]] std::string wrong() override {
      return word_->load() == program_.acts.size() ? "" : "an addition is lost";
    }

   private:
    void add(int me) {
      for (const act& a : program_.acts)
        if (a.rank == me) word_->store(word_->load() + 1);
      while (waits_ && me == 0) sync::futex_wait(*word_, word_->load(), std::chrono::seconds(1));
    }
    program program_;
    bool waits_;
    shared_object<std::atomic<std::uint32_t>> word_;
  };

  bool waits_;
};

std::string lines_with(const std::string& text, const std::string& word) {
  std::string found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.find(word) != std::string::npos) found += line + "\n";
    at = end + 1;
  }
  return found;
}

TEST(Simulate, AFailureIsRepeatedByItsSeedAndMadeSmall) {
  const careless wrong(false);
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const conditions how{.seed = seed, .most_ranks = 3};
    const auto text = failure_of(wrong, how);
    if (!text) continue;
    ++failed;
    EXPECT_EQ(text, failure_of(wrong, how));
    EXPECT_NE(
        text->find("careless fails from seed " + std::to_string(seed) + ": an addition is lost"),
        std::string::npos)
        << *text;
    const std::string acts = lines_with(*text, " adds");
    EXPECT_LE(std::count(acts.begin(), acts.end(), '\n'), 3) << "two suffice:\n" << *text;
  }
  EXPECT_GT(failed, 20);
}

TEST(Simulate, AWaitWithoutEndIsAFailure) {
  const careless endless(true);
  const auto text = failure_of(endless, {.seed = 1, .most_ranks = 2});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("rank 0"), std::string::npos) << *text;
}

TEST(Simulate, FaultsKillAndStop) {
  const careless wrong(false);
  bool unlike = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    unlike = unlike || run_seed(wrong, {.seed = seed, .suffered = faults::heavy}).steps !=
                           run_seed(wrong, {.seed = seed, .suffered = faults::none}).steps;
  EXPECT_TRUE(unlike);
}

}  // namespace
}  // namespace oriel::sim
