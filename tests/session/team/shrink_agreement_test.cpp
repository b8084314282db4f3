// Ranks of a node that agree on who of a team survives have one answer, whoever dies meanwhile, and
// whenever. models/shrink.pml searches all orders of their steps; those that it found are here.
#include "session/team/shrink_agreement.hpp"

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <thread>

#include "tests/sync/processes.hpp"

namespace oriel::sessions {
namespace {

using std::chrono::milliseconds;
using testing::told_watch;

constexpr int ranks = 3;
const std::vector<int> world{0, 1, 2};
const std::vector<bool> all(ranks, true);
const auto everybody_lives = [](int) { return true; };

struct block {
  alignas(64) std::array<std::byte, 256> bytes{};

  errc agree(int me, std::vector<bool>& living, const std::function<bool(int)>& look,
             milliseconds patience = std::chrono::seconds(10)) {
    const told_watch watch(nullptr, true, patience);
    return node_shrink_agreement(bytes.data(), ranks).agree({world, me, 1, &watch, look}, living);
  }
  void sign_in(int me) {
    std::vector<bool> none;
    ASSERT_EQ(agree(me, none, everybody_lives, milliseconds(1)), errc::timed_out);
  }
};

TEST(ShrinkAgreement, IsNotWrittenAgainOnceItIsThere) {
  ASSERT_LE(node_shrink_agreement::bytes(ranks), sizeof(block));
  block shared;
  shared.sign_in(1);
  shared.sign_in(2);

  // Rank 0 writes the answer, but stops in the middle.
  std::promise<void> begins, may_end;
  bool began = false;
  std::vector<bool> of_0, of_1, of_2;
  std::thread writer([&] {
    const auto look = [&](int) {
      if (!std::exchange(began, true)) {
        begins.set_value();
        may_end.get_future().wait();
      }
      return true;
    };
    EXPECT_EQ(shared.agree(0, of_0, look), errc::success);
  });
  begins.get_future().wait();

  // Rank 1 sees that, and looks whether rank 0 lives. Meanwhile it ends, rank 2 reads what it
  // wrote, and it dies.
  const auto look = [&](int r) {
    if (r != 0) return true;
    if (writer.joinable()) {
      may_end.set_value();
      writer.join();
      EXPECT_EQ(shared.agree(2, of_2, everybody_lives), errc::success);
    }
    return false;
  };
  EXPECT_EQ(shared.agree(1, of_1, look), errc::success);
  EXPECT_EQ(of_0, all);
  EXPECT_EQ(of_2, all);
  EXPECT_EQ(of_1, all);
}

TEST(ShrinkAgreement, IsWrittenByTheNextWhereItsWriterDied) {
  block shared;
  shared.sign_in(1);
  shared.sign_in(2);
  // Rank 0 dies in the middle of the list, behind its own entry.
  struct died {};
  std::vector<bool> of_0, of_1, of_2;
  EXPECT_THROW(shared.agree(0, of_0, [](int r) { return r == 0 ? true : throw died{}; }), died);
  const auto without_0 = [](int r) { return r != 0; };
  EXPECT_EQ(shared.agree(1, of_1, without_0), errc::success);
  EXPECT_EQ(shared.agree(2, of_2, without_0), errc::success);
  EXPECT_EQ(of_1, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(of_2, of_1);
}

}  // namespace
}  // namespace oriel::sessions
