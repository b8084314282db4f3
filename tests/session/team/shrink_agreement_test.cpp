// The ranks of a node agree on who of a team survives, by the one of them that speaks, whoever dies
// meanwhile. models/shrink.pml searches all orders of their steps.
#include "session/team/shrink_agreement.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "session/team/conversation.hpp"
#include "tests/session/team/world_of_threads.hpp"

namespace oriel::sessions {
namespace {

using std::chrono::milliseconds;
using testing::patient;
using testing::team_of_threads;
using testing::world_of_threads;

constexpr int ranks = 3;
const std::vector<bool> all_live(ranks, true);

class ShrinkAgreement : public ::testing::Test {
 protected:
  errc agree(
      int me, shrink_answer& found, milliseconds patience = std::chrono::seconds(10),
      const std::function<errc(node_shrink_agreement&)>& speak =
          [](node_shrink_agreement& a) { return a.decide_alone(); },
      bool ready = true) {
    const patient waits(patience, all_, me);
    node_shrink_agreement on_node(team_.board_of(me), team_.seen_by(me, waits));
    return on_node.agree(
        ready, [&] { return speak(on_node); }, found);
  }
  // All at once.
  void agree_all(std::vector<shrink_answer>& found, const std::vector<bool>& ready) {
    found.resize(ranks);
    std::vector<std::thread> threads;
    for (int me = 0; me < ranks; ++me)
      if (all_.lives(me))
        threads.emplace_back([&, me] {
          const auto i = static_cast<std::size_t>(me);
          EXPECT_EQ(agree(
                        me, found[i], std::chrono::seconds(10),
                        [](node_shrink_agreement& a) { return a.decide_alone(); }, ready[i]),
                    errc::success);
        });
    for (std::thread& t : threads) t.join();
  }

  world_of_threads all_{ranks, 1};
  team_of_threads team_{all_, std::vector<int>(ranks, 0)};
};

TEST_F(ShrinkAgreement, LeavesOutTheDead) {
  all_.has_died(1);
  std::vector<shrink_answer> found;
  agree_all(found, all_live);
  EXPECT_EQ(found[0].living, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(found[2].living, found[0].living);
}

TEST_F(ShrinkAgreement, IsUnreadyWhereOneIs) {
  std::vector<shrink_answer> found;
  agree_all(found, {true, true, false});
  for (const shrink_answer& a : found) EXPECT_EQ(a.found, verdict::unready);
}

// Who has timed out has signed in: the others agree with it, and it finds that in a second call.
TEST_F(ShrinkAgreement, CountsThoseThatHaveTimedOut) {
  shrink_answer of_1, of_0, again;
  EXPECT_EQ(agree(1, of_1, milliseconds(1)), errc::timed_out);
  EXPECT_EQ(agree(2, of_1, milliseconds(1)), errc::timed_out);
  EXPECT_EQ(agree(0, of_0), errc::success);
  EXPECT_EQ(of_0.living, all_live);
  EXPECT_EQ(agree(1, again, milliseconds(1)), errc::success);
  EXPECT_EQ(again.living, all_live);
}

TEST_F(ShrinkAgreement, IsSpokenForByTheNextWhereOneHasDied) {
  shrink_answer of_0, of_1, of_2;
  EXPECT_EQ(agree(0, of_0, milliseconds(1)), errc::timed_out);
  EXPECT_EQ(agree(2, of_2, milliseconds(1)), errc::timed_out);
  // While rank 1 waits for rank 0 to speak.
  std::thread waits([&] { EXPECT_EQ(agree(1, of_1), errc::success); });
  std::this_thread::sleep_for(milliseconds(20));
  all_.has_died(0);
  waits.join();
  EXPECT_EQ(of_1.living, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(agree(2, of_2), errc::success);
  EXPECT_EQ(of_2.living, of_1.living);
}

// The others have agreed without this one, which they had given up.
TEST_F(ShrinkAgreement, FailsForOneThatIsLeftOut) {
  shrink_answer of_0, of_1, of_2;
  EXPECT_EQ(agree(0, of_0, milliseconds(1)), errc::timed_out);
  EXPECT_EQ(agree(2, of_2, milliseconds(1)), errc::timed_out);
  all_.has_died(0);
  EXPECT_EQ(agree(1, of_1), errc::success);
  EXPECT_EQ(agree(0, of_0), errc::peer_failed);
}

// What it would find of the others is not so.
TEST_F(ShrinkAgreement, HasNothingDecidedByOneThatIsGivenUp) {
  const patient waits(std::chrono::seconds(10), all_, 0);
  node_shrink_agreement on_node(team_.board_of(0), team_.seen_by_one_given_up(0, waits));
  shrink_answer of_0;
  EXPECT_EQ(sessions::agree(on_node, nullptr, true, of_0), errc::peer_failed);
  all_.has_died(0);
  std::vector<shrink_answer> found;
  agree_all(found, all_live);
  EXPECT_EQ(found[1].living, (std::vector<bool>{false, true, true}));
}

TEST_F(ShrinkAgreement, EndsWithWhatIsSpoken) {
  shrink_answer found;
  EXPECT_EQ(agree(1, found, milliseconds(1)), errc::timed_out);
  EXPECT_EQ(agree(2, found, milliseconds(1)), errc::timed_out);
  EXPECT_EQ(agree(0, found, milliseconds(20), [](auto&) { return errc::timed_out; }),
            errc::timed_out);
  EXPECT_EQ(agree(0, found, milliseconds(20), [](auto&) { return errc::peer_failed; }),
            errc::peer_failed);
}

}  // namespace
}  // namespace oriel::sessions
