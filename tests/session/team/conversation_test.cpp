// The agreement of survivors under every order of deaths: ranks are threads, and the messenger
// between them is a stand-in that keeps what is sent until it is received, delays it, and ends a
// rank in the middle of what it sends. ORIEL_TEST_SEED repeats a run.
#include "session/team/conversation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <tuple>

namespace oriel::sessions {
namespace {

using steady = std::chrono::steady_clock;
using bytes = std::vector<std::byte>;

// All messages of one run, and who has died.
class world_of_threads {
 public:
  world_of_threads(int ranks, unsigned seed)
      : dice_(seed), dead_(static_cast<std::size_t>(ranks)), may_send_(dead_.size(), forever) {}

  static constexpr int forever = 1 << 30;
  void dies_after(int rank, int sends) { may_send_[static_cast<std::size_t>(rank)] = sends; }
  void has_died(int rank) { dead_[static_cast<std::size_t>(rank)] = true; }
  [[nodiscard]] bool lives(int rank) {
    const std::lock_guard hold(mutex_);
    return !dead_[static_cast<std::size_t>(rank)];
  }
  void send(int from, int to, const message_tag& tag, std::span<const std::byte> m) {
    const std::lock_guard hold(mutex_);
    if (may_send_[static_cast<std::size_t>(from)]-- == 0)
      dead_[static_cast<std::size_t>(from)] = true;
    if (dead_[static_cast<std::size_t>(from)]) return;
    const auto late = std::chrono::microseconds(dice_() % 300);
    messages_.emplace(key(from, to, tag), letter{steady::now() + late, bytes(m.begin(), m.end())});
  }
  bool receive(int from, int to, const message_tag& tag, bytes& m) {
    const std::lock_guard hold(mutex_);
    const auto found = messages_.find(key(from, to, tag));
    if (found == messages_.end() || found->second.first > steady::now()) return false;
    m = std::move(found->second.second);
    messages_.erase(found);
    return true;
  }

 private:
  using letter = std::pair<steady::time_point, bytes>;
  using key_type = std::tuple<int, int, std::uint64_t, std::uint32_t, std::uint32_t>;
  static key_type key(int from, int to, const message_tag& t) {
    return {from, to, t.group, t.turn, t.round};
  }
  std::mutex mutex_;
  std::mt19937 dice_;
  std::vector<bool> dead_;
  std::vector<int> may_send_;
  std::map<key_type, letter> messages_;
};

// One rank's way to the others.
class messenger_of_threads final : public messenger {
 public:
  messenger_of_threads(world_of_threads& all, int me) : all_(all), me_(me) {}
  errc send(int to, const message_tag& tag, std::span<const std::byte> m) noexcept override {
    all_.send(me_, to, tag, m);
    return errc::success;
  }
  errc receive(int from, const message_tag& tag, bytes& m,
               const sync::peer_watch& watch) noexcept override {
    const auto began = steady::now();
    ++waits;
    for (;;) {
      if (!all_.lives(me_)) return errc::timed_out;  // the end of its thread
      // Looked for before the message: one that was sent is still received.
      const bool failed = watch.any_failed();
      if (all_.receive(from, me_, tag, m)) return errc::success;
      if (failed && steady::now() - began > std::chrono::microseconds(300))
        return errc::peer_failed;
      if (steady::now() - began > *watch.patience()) return errc::timed_out;
      std::this_thread::yield();
    }
  }
  bool take(int from, const message_tag& tag, bytes& m) noexcept override {
    return all_.receive(from, me_, tag, m);
  }
  bool progress() noexcept override { return false; }
  [[nodiscard]] bool progresses_by_itself() const noexcept override { return true; }

  int waits = 0;  // for messages

 private:
  world_of_threads& all_;
  int me_;
};

class patient final : public sync::peer_watch {
 public:
  explicit patient(std::chrono::milliseconds most) : most_(most) {}
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return most_;
  }

 private:
  std::chrono::milliseconds most_;
};

struct answer {
  int waits = 0;
  bool died = false;
  errc code = errc::success;
  verdict found = verdict::agreed;
  std::vector<bool> living;
};

// What each rank comes to.
std::vector<answer> converse(world_of_threads& all, int ranks, const std::vector<bool>& ready) {
  std::vector<int> world(static_cast<std::size_t>(ranks));
  std::iota(world.begin(), world.end(), 0);
  std::vector<answer> answers(world.size());
  std::vector<std::thread> threads;
  for (int me = 0; me < ranks; ++me)
    threads.emplace_back([&, me] {
      answer& mine = answers[static_cast<std::size_t>(me)];
      messenger_of_threads way(all, me);
      const patient waits(std::chrono::seconds(10));
      conversation talk(way, 1, {world, me, 1, &waits, [&all](int r) { return all.lives(r); }},
                        [] { return false; });
      mine.code = talk.run(ready[static_cast<std::size_t>(me)], mine.found, mine.living);
      mine.died = !all.lives(me);
      mine.waits = way.waits;
    });
  for (std::thread& t : threads) t.join();
  return answers;
}

void expect_agreement(const std::vector<answer>& answers, const std::string& what) {
  const answer* first = nullptr;
  for (std::size_t r = 0; r < answers.size(); ++r) {
    const answer& a = answers[r];
    if (a.died) continue;
    EXPECT_EQ(a.code, errc::success) << "rank " << r << ", " << what;
    if (first == nullptr) first = &a;
    EXPECT_EQ(a.found, first->found) << "rank " << r << ", " << what;
    EXPECT_EQ(a.living, first->living) << "rank " << r << ", " << what;
    if (a.found == verdict::agreed && a.living.size() == answers.size()) {
      EXPECT_TRUE(a.living[r]) << "rank " << r << ", " << what;
    }
  }
}

TEST(Conversation, HasOneAnswerWhereverACoordinatorDies) {
  for (int ranks = 2; ranks <= 5; ++ranks)
    for (int first = 0; first < 2 * ranks; ++first)
      for (int second = 0; second<2 * ranks; second += ranks> 3 ? 2 : 1) {
        world_of_threads all(ranks, 1);
        all.dies_after(0, first);
        if (ranks > 2) all.dies_after(1, second);
        const auto answers =
            converse(all, ranks, std::vector<bool>(static_cast<std::size_t>(ranks), true));
        expect_agreement(answers, std::to_string(ranks) + " ranks, of which 0 dies after " +
                                      std::to_string(first) + " messages, 1 after " +
                                      std::to_string(second));
        if (HasFailure()) return;
      }
}

TEST(Conversation, HasOneAnswerWhoeverDies) {
  const char* const given = std::getenv("ORIEL_TEST_SEED");
  const unsigned begin = given == nullptr ? std::random_device{}()
                                          : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  for (unsigned seed = begin; seed < begin + (given == nullptr ? 300u : 1u); ++seed) {
    std::mt19937 dice(seed);
    const int ranks = 2 + static_cast<int>(dice() % 6);
    world_of_threads all(ranks, seed);
    std::vector<bool> ready(static_cast<std::size_t>(ranks), true);
    for (int r = 0; r < ranks; ++r) {
      if (dice() % 3 == 0)
        all.dies_after(r, static_cast<int>(dice() % static_cast<unsigned>(2 * ranks)));
      if (dice() % 16 == 0) ready[static_cast<std::size_t>(r)] = false;
    }
    expect_agreement(converse(all, ranks, ready), "ORIEL_TEST_SEED=" + std::to_string(seed));
    if (HasFailure()) return;
  }
}

// A node may die with all of its ranks: what they may have sent last is waited for once.
TEST(Conversation, WaitsOnceForAllThatHaveDiedBefore) {
  constexpr int ranks = 12;
  world_of_threads all(ranks, 1);
  for (int r = 2; r < ranks; ++r) all.has_died(r);
  const auto answers = converse(all, ranks, std::vector<bool>(ranks, true));
  expect_agreement(answers, "two live");
  EXPECT_EQ(answers[0].living, (std::vector<bool>{true, true, false, false, false, false, false,
                                                  false, false, false, false, false}));
  EXPECT_EQ(answers[0].waits, 2);  // and for the rank that lives
}

TEST(Conversation, TellsAllThatOneIsNotReady) {
  world_of_threads all(3, 1);
  for (const answer& a : converse(all, 3, {true, true, false})) {
    EXPECT_EQ(a.code, errc::success);
    EXPECT_EQ(a.found, verdict::unready);
  }
}

// A rank whose call times out calls again, and gets the answer that the others may have by then.
TEST(Conversation, GoesOnAfterATimeOut) {
  world_of_threads all(3, 1);
  const std::vector<int> world{0, 1, 2};
  const patient little(std::chrono::milliseconds(20)), much(std::chrono::seconds(20));
  std::vector<answer> answers(3);
  std::vector<int> time_outs(3);
  std::vector<std::thread> threads;
  for (int me = 0; me < 3; ++me)
    threads.emplace_back([&, me] {
      const auto i = static_cast<std::size_t>(me);
      if (me == 2) std::this_thread::sleep_for(std::chrono::milliseconds(150));
      messenger_of_threads way(all, me);
      conversation talk(
          way, 1, {world, me, 1, me == 2 ? &much : &little, [&all](int r) { return all.lives(r); }},
          [] { return false; });
      do {
        answers[i].code = talk.run(true, answers[i].found, answers[i].living);
        if (answers[i].code == errc::timed_out) ++time_outs[i];
      } while (answers[i].code == errc::timed_out);
    });
  for (std::thread& t : threads) t.join();
  expect_agreement(answers, "late rank 2");
  EXPECT_EQ(answers[0].living, std::vector<bool>(3, true));
  EXPECT_GT(time_outs[0], 0);
}

}  // namespace
}  // namespace oriel::sessions
