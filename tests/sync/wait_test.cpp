// Who waits serves: what a wait does for others while it lasts.
#include "sync/wait.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace oriel::sync
