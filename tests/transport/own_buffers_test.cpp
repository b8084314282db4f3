// Which memory is registered once, for how long, and what happens where that is refused.
#include "transport/own_buffers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace oriel::transport {
namespace {

class OwnBuffers : public ::testing::Test {
 protected:
  // Returns the registration of the block that holds elements [i, i + n).
  own_buffers::registration of(std::size_t i, std::size_t n) {
    return all_.of(&memory_[i], n, [this](std::uintptr_t begin, std::size_t bytes) {
      made_.push_back({begin - reinterpret_cast<std::uintptr_t>(memory_.data()), bytes});
      if (refuses_) throw error(errc::no_mem, "no more memory can be registered");
      return std::make_shared<const memory_region>();
    });
  }
  using block = std::pair<std::size_t, std::size_t>;

  own_buffers all_;
  std::array<std::byte, 1000> memory_{};
  std::vector<block> made_;
  bool refuses_ = false;
};

TEST_F(OwnBuffers, AreRegisteredWholeWhenTheyAreFirstUsed) {
  all_.add(&memory_[100], 100);
  EXPECT_EQ(of(99, 2), nullptr);
  EXPECT_EQ(of(199, 2), nullptr);
  EXPECT_TRUE(made_.empty());
  const auto first = of(150, 50);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(of(100, 100), first);
  EXPECT_EQ(made_, std::vector<block>({{100, 100}}));
  all_.remove(&memory_[100]);
  EXPECT_EQ(of(150, 50), nullptr);
}

// Whichever is given back first, what is still lent is found, and nothing else is.
TEST_F(OwnBuffers, LoansOverlap) {
  all_.lend(&memory_[0], 500);
  all_.lend(&memory_[400], 10);
  all_.lend(&memory_[400], 200);
  EXPECT_NE(of(450, 50), nullptr);
  EXPECT_NE(of(100, 50), nullptr);
  EXPECT_NE(of(550, 50), nullptr);
  EXPECT_EQ(of(450, 200), nullptr);
  all_.end_loan(&memory_[400], 200);
  EXPECT_EQ(of(550, 50), nullptr);
  EXPECT_NE(of(450, 50), nullptr);
  all_.end_loan(&memory_[0], 500);
  EXPECT_EQ(of(450, 50), nullptr);
  EXPECT_NE(of(402, 5), nullptr);
  all_.end_loan(&memory_[400], 10);
  EXPECT_EQ(of(402, 5), nullptr);
}

TEST_F(OwnBuffers, LoansOfOneBlockAreRegisteredOnce) {
  all_.lend(&memory_[0], 500);
  EXPECT_NE(of(0, 500), nullptr);
  all_.lend(&memory_[0], 500);
  EXPECT_NE(of(0, 500), nullptr);
  EXPECT_EQ(made_.size(), 1u);
  all_.end_loan(&memory_[0], 500);
  EXPECT_NE(of(0, 500), nullptr);
  all_.end_loan(&memory_[0], 500);
  EXPECT_EQ(of(0, 500), nullptr);
}

TEST_F(OwnBuffers, OfOrielComeBeforeLoansOfThem) {
  all_.add(&memory_[0], 500);
  const auto own = of(0, 100);
  all_.lend(&memory_[0], 500);
  all_.lend(&memory_[50], 500);
  EXPECT_EQ(of(60, 100), own);
  EXPECT_NE(of(450, 100), nullptr);
  all_.end_loan(&memory_[0], 500);
  EXPECT_EQ(of(60, 100), own);
}

// As where the limit on registered memory is too low for all of it: transfers register what they
// need.
TEST_F(OwnBuffers, ThatAreRefusedAreTriedOnce) {
  all_.lend(&memory_[0], 500);
  refuses_ = true;
  EXPECT_EQ(of(0, 100), nullptr);
  EXPECT_EQ(of(100, 100), nullptr);
  EXPECT_EQ(made_.size(), 1u);
  refuses_ = false;
  all_.lend(&memory_[0], 300);
  EXPECT_NE(of(0, 100), nullptr);
}

TEST_F(OwnBuffers, AreSharedByThreads) {
  std::vector<std::thread> all;
  std::atomic<int> registered{0}, lost{0};
  for (std::size_t t = 0; t < 4; ++t)
    all.emplace_back([&, t] {
      std::byte* const mine = &memory_[200 * t];
      for (int i = 0; i < 2000; ++i) {
        all_.lend(mine, 200);
        const auto made = all_.of(mine + 10, 50, [&](std::uintptr_t, std::size_t) {
          ++registered;
          return std::make_shared<const memory_region>();
        });
        if (made == nullptr) ++lost;
        all_.end_loan(mine, 200);
      }
    });
  for (std::thread& t : all) t.join();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(registered, 8000);
}

}  // namespace
}  // namespace oriel::transport
