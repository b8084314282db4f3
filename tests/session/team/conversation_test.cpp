// The agreement of survivors under every order of deaths: ranks are threads on pretended nodes, and
// the messenger between them is a stand-in that keeps what is sent until it is received, delays it,
// loses it with its sender, and ends a rank amid what it does. A rank that has died may still write
// on its node's board for a while, as one does that the others have given up.
// ORIEL_TEST_SEED repeats a run.
#include "session/team/conversation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "tests/session/team/world_of_threads.hpp"

namespace oriel::sessions {
namespace {

using testing::messenger_of_threads;
using testing::patient;
using testing::steady;
using testing::team_of_threads;
using testing::world_of_threads;

struct outcome_of_rank {
  int waits = 0;
  bool died = false;
  errc code = errc::success;
  shrink_answer answer;
};

struct manner {
  std::vector<bool> ready{};  // by rank; empty: all are
  bool cut_off = false;
};

// What each rank comes to.
std::vector<outcome_of_rank> converse(world_of_threads& all, team_of_threads& team,
                                      const manner& how = {}) {
  std::vector<outcome_of_rank> outcomes(static_cast<std::size_t>(team.where().size()));
  std::vector<std::thread> threads;
  for (int me = 0; me < team.where().size(); ++me) {
    if (!all.lives(me)) continue;
    threads.emplace_back([&, me] {
      const auto i = static_cast<std::size_t>(me);
      messenger_of_threads way(all, me);
      const patient waits(std::chrono::seconds(10), all, me);
      const agreeing a = team.seen_by(me, waits);
      conversation talk(way, 1, team.board_of(me), a, [&] { return how.cut_off; });
      node_shrink_agreement on_node(team.board_of(me), a);
      outcomes[i].code =
          agree(on_node, &talk, how.ready.empty() || how.ready[i], outcomes[i].answer);
      outcomes[i].waits = way.waits;
      all.has_ended(me);
    });
  }
  for (std::thread& t : threads) t.join();
  for (std::size_t r = 0; r < outcomes.size(); ++r)
    outcomes[r].died = !all.lives(static_cast<int>(r));
  return outcomes;
}

void expect_agreement(const std::vector<outcome_of_rank>& outcomes, const std::string& what) {
  const outcome_of_rank* first = nullptr;
  for (std::size_t r = 0; r < outcomes.size(); ++r) {
    const outcome_of_rank& o = outcomes[r];
    if (o.died) continue;
    EXPECT_EQ(o.code, errc::success) << "rank " << r << ", " << what;
    if (first == nullptr) first = &o;
    EXPECT_EQ(o.answer.found, first->answer.found) << "rank " << r << ", " << what;
    EXPECT_EQ(o.answer.living, first->answer.living) << "rank " << r << ", " << what;
    if (o.answer.found == verdict::agreed && o.answer.living.size() == outcomes.size()) {
      EXPECT_TRUE(o.answer.living[r]) << "rank " << r << ", " << what;
    }
  }
}

std::vector<int> one_a_node(int ranks) {
  std::vector<int> nodes(static_cast<std::size_t>(ranks));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TEST(Conversation, HasOneAnswerWhereverACoordinatorDies) {
  for (int ranks = 2; ranks <= 5; ++ranks)
    for (int first = 0; first <= ranks; ++first)
      for (int second = 0; second <= ranks + 1; ++second) {
        world_of_threads all(ranks, 1);
        team_of_threads team(all, one_a_node(ranks));
        all.dies_after(0, first);
        if (ranks > 2) all.dies_after(1, second);
        expect_agreement(converse(all, team), std::to_string(ranks) +
                                                  " ranks, of which 0 dies after " +
                                                  std::to_string(first) + " messages, 1 after " +
                                                  std::to_string(second));
        if (HasFailure()) return;
      }
}

TEST(Conversation, HasOneAnswerWhoeverDies) {
  const char* const given = std::getenv("ORIEL_TEST_SEED");
  const unsigned begin = given == nullptr ? std::random_device{}()
                                          : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  for (unsigned seed = begin; seed < begin + (given == nullptr ? 400u : 1u); ++seed) {
    std::mt19937 dice(seed);
    const auto below = [&dice](int n) {
      return static_cast<int>(dice() % static_cast<unsigned>(n));
    };
    const int ranks = 2 + below(7);
    // Blocks of ranks, or in turn, or at random; one a node too.
    const int nodes = 2 + below(ranks - 1), way = below(3);
    std::vector<int> node_of;
    for (int r = 0; r < ranks; ++r)
      node_of.push_back(way == 0 ? r * nodes / ranks : way == 1 ? r % nodes : below(nodes));
    world_of_threads all(ranks, seed);
    all.loses_with_the_dead();
    team_of_threads team(all, node_of);
    manner how{std::vector<bool>(static_cast<std::size_t>(ranks), true)};
    for (int r = 0; r < ranks; ++r) {
      if (below(3) == 0) all.dies_after(r, below(2 * ranks));
      if (below(4) == 0) all.dies_after_looks(r, below(200));
      if (below(4) == 0) all.dies_as_it_receives(r, 1 + below(3));
      if (below(16) == 0) how.ready[static_cast<std::size_t>(r)] = false;
    }
    if (below(3) == 0) all.dies_with_its_node(below(ranks), node_of);
    expect_agreement(converse(all, team, how), "ORIEL_TEST_SEED=" + std::to_string(seed));
    if (HasFailure()) return;
  }
}

// Rank 0 has told one of two other nodes, and dies with its own.
TEST(Conversation, OutlivesTheNodeOfACoordinator) {
  const std::vector<int> nodes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2};
  world_of_threads all(12, 1);
  team_of_threads team(all, nodes);
  all.loses(0, 10);
  all.dies_as_it_ends(0);
  all.dies_with_its_node(0, nodes);
  const auto outcomes = converse(all, team);
  expect_agreement(outcomes, "two live");
  EXPECT_FALSE(outcomes[10].died || outcomes[11].died);
}

// The other of two on a node speaks where the first dies before its report has left, or with the
// answer that it has received.
TEST(Conversation, OutlivesOneThatSpeaksForItsNode) {
  const std::vector<int> nodes{0, 1, 1, 2};
  for (const bool reports : {false, true}) {
    world_of_threads all(4, 1);
    team_of_threads team(all, nodes);
    reports ? all.dies_as_it_receives(1, 1) : all.dies_after(1, 0);
    const auto outcomes = converse(all, team);
    expect_agreement(outcomes, reports ? "dies with the answer" : "dies before it reports");
    EXPECT_TRUE(outcomes[1].died);
    // The second one's question has come after the answer.
    EXPECT_EQ(outcomes[2].answer.living, (std::vector<bool>{true, reports, true, true}));
  }
}

// Of node 1 one rank is told, and dies after all of it have the answer: who was not told asks the
// other, which speaks to nobody any more.
TEST(Conversation, IsAnsweredByARankThatHasReturned) {
  const std::vector<int> nodes{0, 1, 1, 2};
  world_of_threads all(4, 1);
  team_of_threads team(all, nodes);
  all.loses(0, 3);
  all.dies_as_it_ends(0);
  all.dies_as_it_ends(1);
  const auto outcomes = converse(all, team);
  expect_agreement(outcomes, "ranks 2 and 3 live");
  EXPECT_EQ(outcomes[3].answer.living, std::vector<bool>(4, true));
}

TEST(Conversation, WaitsForNoneOfTheDead) {
  constexpr int ranks = 12;
  world_of_threads all(ranks, 1);
  team_of_threads team(all, {0, 1, 2, 2, 2, 2, 2, 2, 3, 4, 5, 6});
  for (int r = 2; r < ranks; ++r) all.has_died(r);
  const auto outcomes = converse(all, team);
  expect_agreement(outcomes, "two live");
  EXPECT_EQ(outcomes[0].answer.living,
            (std::vector<bool>{true, true, false, false, false, false, false, false, false, false,
                               false, false}));
  EXPECT_EQ(outcomes[0].waits, 1);
}

TEST(Conversation, TakesTwoMessagesANode) {
  world_of_threads all(9, 1);
  team_of_threads team(all, {0, 1, 2, 0, 1, 2, 0, 1, 2});
  const auto outcomes = converse(all, team);
  expect_agreement(outcomes, "in turn on three nodes");
  EXPECT_EQ(all.sent(), 4);
  for (std::size_t r = 3; r < 9; ++r) EXPECT_EQ(outcomes[r].waits, 0);
}

TEST(Conversation, TellsAllThatOneIsNotReady) {
  world_of_threads all(4, 1);
  team_of_threads team(all, {0, 1, 1, 2});
  for (const outcome_of_rank& o : converse(all, team, {{true, true, false, true}})) {
    EXPECT_EQ(o.code, errc::success);
    EXPECT_EQ(o.answer.found, verdict::unready);
  }
}

TEST(Conversation, TellsAllThatTheyAreCutOff) {
  world_of_threads all(3, 1);
  team_of_threads team(all, {0, 1, 1});
  for (const outcome_of_rank& o : converse(all, team, {.cut_off = true})) {
    EXPECT_EQ(o.code, errc::success);
    EXPECT_EQ(o.answer.found, verdict::cut_off);
  }
}

// One that the others have given up, as it was stopped, goes on: it takes the others for dead, and
// those of its node wait for nobody that it has given up, and for no answer of its own.
TEST(Conversation, HasNothingDecidedByOneThatIsGivenUp) {
  world_of_threads all(4, 1);
  team_of_threads team(all, {0, 1, 1, 2});
  const patient waits(std::chrono::seconds(10), all, 1);
  const agreeing a = team.seen_by_one_given_up(1, waits);
  messenger_of_threads way(all, 1);
  conversation talk(way, 1, team.board_of(1), a, [] { return false; });
  node_shrink_agreement on_node(team.board_of(1), a);
  shrink_answer of_1;
  EXPECT_EQ(agree(on_node, &talk, true, of_1), errc::peer_failed);
  EXPECT_EQ(team.board_of(2).first_coordinator(1), 0);
  EXPECT_EQ(all.sent(), 0);
  all.has_died(1);
  const auto outcomes = converse(all, team);
  expect_agreement(outcomes, "all but rank 1 live");
  EXPECT_EQ(outcomes[0].answer.living, (std::vector<bool>{true, false, true, true}));
}

// Rank 1 is stopped as it decides, and rank 2 of its node goes on without it, and comes by another
// answer before rank 3 has given rank 1 up.
TEST(Conversation, TellsWhatItsNodeHasTaken) {
  world_of_threads all(4, 1);
  team_of_threads team(all, {0, 1, 1, 2});
  all.has_died(0);
  const shrink_board board = team.board_of(1);
  board.sign_in(1, 1, true);
  const std::vector<bool> taken{true, false, true, true};
  std::vector<shrink_answer> answers(4);
  std::vector<std::thread> threads;
  for (const int me : {1, 3})
    threads.emplace_back([&, me] {
      messenger_of_threads way(all, me);
      const patient waits(std::chrono::seconds(10), all, me);
      const agreeing a = team.seen_by(me, waits);
      conversation talk(way, 1, team.board_of(me), a, [&, me] {
        if (me == 1) {
          EXPECT_TRUE(board.give_up_before(2, 1));
          EXPECT_EQ(board.take({verdict::agreed, taken}, 2, 1, 1, waits, a.runs), errc::success);
        }
        return false;
      });
      node_shrink_agreement on_node(team.board_of(me), a);
      EXPECT_EQ(agree(on_node, &talk, true, answers[static_cast<std::size_t>(me)]),
                me == 1 ? errc::peer_failed : errc::success);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(answers[3].living, taken);
}

// A rank whose call times out calls again, and gets the answer that the others may have by then.
TEST(Conversation, GoesOnAfterATimeOut) {
  constexpr int ranks = 4, late = 2;
  world_of_threads all(ranks, 1);
  team_of_threads team(all, {0, 0, 1, 1});
  std::vector<outcome_of_rank> outcomes(ranks);
  std::vector<int> time_outs(ranks);
  std::vector<std::thread> threads;
  for (int me = 0; me < ranks; ++me)
    threads.emplace_back([&, me] {
      const auto i = static_cast<std::size_t>(me);
      if (me == late) std::this_thread::sleep_for(std::chrono::milliseconds(150));
      messenger_of_threads way(all, me);
      const patient waits(std::chrono::milliseconds(me == late ? 20000 : 20), all, me);
      const agreeing a = team.seen_by(me, waits);
      conversation talk(way, 1, team.board_of(me), a, [] { return false; });
      node_shrink_agreement on_node(team.board_of(me), a);
      do {
        outcomes[i].code = agree(on_node, &talk, true, outcomes[i].answer);
        if (outcomes[i].code == errc::timed_out) ++time_outs[i];
      } while (outcomes[i].code == errc::timed_out);
    });
  for (std::thread& t : threads) t.join();
  expect_agreement(outcomes, "late rank 2");
  EXPECT_EQ(outcomes[0].answer.living, std::vector<bool>(ranks, true));
  EXPECT_GT(time_outs[0], 0);
  EXPECT_GT(time_outs[3], 0);
}

// As one of a node leaves its board that is stopped as it writes there.
void claim(const shrink_board& board, int node_rank) {
  constexpr std::size_t writer = 24;
  auto* const at = reinterpret_cast<std::byte*>(&board.word()) + writer;
  reinterpret_cast<std::atomic<std::uint64_t>*>(at)->store(std::uint64_t{1} << 32 |
                                                           static_cast<unsigned>(node_rank + 1));
}

// The call times out amid that, with the answer that it has received: from a coordinator, or by one
// itself that asks.
TEST(Conversation, GoesOnWithAnAnswerThatItCouldNotTake) {
  for (const bool coordinates : {false, true}) {
    world_of_threads all(4, 1);
    team_of_threads team(all, {0, 1, 1, 2});
    all.has_died(2);
    claim(team.board_of(1), 1);
    std::atomic<bool> writer_runs{true};
    std::vector<outcome_of_rank> outcomes(4);
    outcomes[2].died = true;
    std::vector<std::thread> threads;
    const auto begin = [&](int me, bool impatient) {
      threads.emplace_back([&, me, impatient] {
        const auto i = static_cast<std::size_t>(me);
        messenger_of_threads way(all, me);
        const patient waits(std::chrono::milliseconds(impatient ? 20 : 10000), all, me);
        agreeing a = team.seen_by(me, waits);
        a.runs = [&](int r) { return r == 2 ? writer_runs.load() : all.runs(r); };
        // Rank 0 returns, and is taken for dead by rank 1 alone, which asks rank 3 then.
        if (me == 1 && coordinates)
          a.look = [&](int r) { return r != 0 && all.looks_at(1, r, false); };
        conversation talk(way, 1, team.board_of(me), a, [] { return false; });
        node_shrink_agreement on_node(team.board_of(me), a);
        const auto until = steady::now() + std::chrono::seconds(5);
        do {
          outcomes[i].code = agree(on_node, &talk, true, outcomes[i].answer);
          if (outcomes[i].code == errc::timed_out && ++outcomes[i].waits == 10) writer_runs = false;
        } while (outcomes[i].code == errc::timed_out && steady::now() < until);
      });
    };
    if (coordinates) {
      // Rank 0 and 3 agree as node 1 is not there yet, by its report.
      all.send(1, 0, {1, 3, 0}, shrink_text{.ranks = {2}}.written(4));
      begin(0, false);
      begin(3, false);
      for (std::thread& t : threads) t.join();
      threads.clear();
    } else {
      begin(0, false);
      begin(3, false);
    }
    begin(1, true);
    for (std::thread& t : threads) t.join();
    expect_agreement(outcomes, coordinates ? "as coordinator" : "from a coordinator");
  }
}

}  // namespace
}  // namespace oriel::sessions
