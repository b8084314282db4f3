// Who waits serves: what a wait does for others while it lasts.
#include "sync/wait.hpp"

#include <gtest/gtest.h>

#include <string>

#include "sync/look_count.hpp"

namespace oriel::sync {
namespace {

// Of a process that other nodes have requests to. The wait ends when they are served.
class serving_watch final : public peer_watch {
 public:
  serving_watch(wait_word& word, bool has_agent) : word_(word), has_agent_(has_agent) {}
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return false; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return std::chrono::milliseconds(2000);
  }
  [[nodiscard]] bool needs_progress() const noexcept override { return !has_agent_; }
  [[nodiscard]] bool serves() const noexcept override { return true; }
  void progress() const noexcept override {
    if (++looks == 3) word_.value.store(1);
  }
  mutable int looks = 0;

 private:
  wait_word& word_;
  bool has_agent_;
};

TEST(Wait, ServesOtherNodesWhetherAnAgentDoesOrNot) {
  for (const bool has_agent : {false, true}) {
    wait_word word{};
    const serving_watch watch(word, has_agent);
    EXPECT_EQ(wait_for(word, watch, [](std::uint32_t now) { return now == 1; }), errc::success);
    EXPECT_EQ(watch.looks, 3);
  }
}

// Of a process whose agent stands aside as long as threads of the program look: the wait ends when
// it has looked once more than it does while it is awake.
class pausing_agent_watch final : public peer_watch {
 public:
  explicit pausing_agent_watch(wait_word& word) : word_(word) {}
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return false; }
  [[nodiscard]] int looks() const noexcept override { return 0; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return std::chrono::milliseconds(2000);
  }
  [[nodiscard]] bool serves() const noexcept override { return true; }
  [[nodiscard]] bool serves_nodes() const noexcept override { return true; }
  void progress() const noexcept override { ++awake; }
  void progress_asleep() const noexcept override { word_.value.store(1); }
  mutable int awake = 0;

 private:
  wait_word& word_;
};

TEST(Wait, ServesOtherNodesAsItFallsAsleepUntilItsAgentHasNoticed) {
  wait_word word{};
  const pausing_agent_watch watch(word);
  EXPECT_EQ(wait_for(word, watch, [](std::uint32_t now) { return now == 1; }), errc::success);
  EXPECT_EQ(watch.awake, wait_ladder::yields);
}

// A peer has gone, and what it sent before is still to be taken by this process, which has stood
// still since it last looked.
class left_watch final : public peer_watch {
 public:
  explicit left_watch(wait_word& word) : word_(word) {}
  [[nodiscard]] bool any_failed() const noexcept override { return gone_ = true; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return false; }
  [[nodiscard]] bool needs_progress() const noexcept override { return true; }
  void progress() const noexcept override {
    if (gone_) word_.value.store(1);
  }

 private:
  wait_word& word_;
  mutable bool gone_ = false;
};

TEST(Wait, TakesWhatHasArrivedBeforeItGivesUp) {
  wait_word word{};
  const left_watch watch(word);
  EXPECT_EQ(wait_for(word, watch, [](std::uint32_t now) { return now == 1; }), errc::success);
  EXPECT_EQ(wait_for(word, watch, [](std::uint32_t now) { return now == 2; }), errc::peer_failed);
}

// Tells how the look went.
class noting_watch final : public peer_watch {
 public:
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] int looks() const noexcept override { return 5; }
  void note_looks(bool enough) const noexcept override { noted += enough ? "+" : "-"; }
  mutable std::string noted;
};

TEST(Wait, LooksAsOftenAsItsWatchSaysAndTellsWhetherThatWasEnough) {
  const noting_watch watch;
  wait_word word{};
  for (const int answered_at : {1, 2, 6, 7, 20}) {
    int looks = 0;
    const auto done = [&](std::uint32_t) { return ++looks == answered_at; };
    EXPECT_EQ(wait_for(word, watch, done), errc::success);
  }
  EXPECT_EQ(watch.noted, "++--") << "what is there already is not waited for";
}

TEST(LookCount, IsLongWhileAnswersComeInTime) {
  look_count looks;
  const int enough = looks.next();
  EXPECT_GT(enough, 20);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(looks.next(), enough);
    looks.note(i % 4 == 0);
  }
}

// So that it is seen when the owner waits here again.
TEST(LookCount, IsShortButNowAndThenWhileTheyDoNot) {
  look_count looks;
  const int enough = looks.next();
  for (int i = 0; i < 4; ++i) looks.note(false);
  int tries = 0;
  for (int i = 0; i < 160; ++i) {
    if (looks.next() == enough) ++tries;
    looks.note(false);
  }
  EXPECT_EQ(tries, 10);
  looks.note(true);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(looks.next(), enough);
}

}  // namespace
}  // namespace oriel::sync
