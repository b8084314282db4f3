// flush(w1, w2, …): the way to the other node is a stand-in here, on which it shows what is asked
// for and what is waited for, window by window.
#include "oriel/flush.hpp"

#include <array>
#include <string>
#include <vector>

#include "tests/support/job.hpp"
#include "tests/win/stand_in_fabric.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/dismantle.hpp"
#include "win/route/remote_window.hpp"

namespace oriel::win {
namespace {

class noting_fabric final : public stand_in_fabric {
 public:
  noting_fabric(char window, std::string& happened) : window_(window), happened_(happened) {}
  errc request(int, transport::message_head, std::span<const std::byte>, void*, std::size_t,
               pending_ops& ops, pending_ops*) noexcept override {
    happened_ += std::string("asked ") + window_ + ' ';
    if (fails) return errc::system;
    ops.begin();
    return errc::success;
  }
  errc tell(int, transport::message_head, std::span<const std::byte>,
            const pending_ops*) noexcept override {
    return errc::success;
  }
  errc wait(pending_ops& ops, int, const sync::peer_watch&) noexcept override {
    if (!ops.idle()) happened_ += std::string("waited ") + window_ + ' ';
    while (!ops.idle()) ops.end(errc::success);
    return ops.take_failure();
  }
  [[nodiscard]] transport::completion how() const noexcept override {
    return transport::completion::delivery;
  }

  bool fails = false;

 private:
  char window_;
  std::string& happened_;
};

class FlushTogether : public ::testing::Test {
 protected:
  FlushTogether() {
    const window_options options;
    for (const char name : {'a', 'b'}) {
      construction c;
      c.base = datatype::of<std::uint64_t>();
      c.count = 1;
      c.promised = assertion::shared_lock | assertion::notify;
      c.options = &options;
      ways_.push_back(std::make_unique<noting_fabric>(name, happened_));
      cores_.push_back(build(oriel::testing::world(), c));
      cores_.back()->routes.remote =
          std::make_unique<remote_window>(*cores_.back(), *ways_.back(), 1, false);
      views_.push_back(&cores_.back()->view);
    }
  }
  ~FlushTogether() override {
    for (auto& core : cores_) {
      core->routes.remote.reset();
      dismantle(std::move(core)).or_throw();
    }
  }
  void notify(std::size_t w) {
    ASSERT_EQ(cores_[w]->routes.remote->notify(rank{0}, 0, {}, {0, 1}), errc::success);
  }

  std::string happened_;
  std::vector<std::unique_ptr<noting_fabric>> ways_;
  std::vector<std::unique_ptr<detail::window_core>> cores_;
  std::vector<const detail::window_view*> views_;
};

TEST_F(FlushTogether, BeginsAllBeforeItWaitsForOne) {
  notify(0);
  notify(1);
  EXPECT_EQ(detail::flush_together(views_, {}), errc::success);
  EXPECT_EQ(happened_, "asked a asked b waited a waited b ");
  EXPECT_EQ(cores_[0]->hot.pending.load(), 0u);
}

TEST_F(FlushTogether, AsksNothingOfAWindowThatIsIdle) {
  notify(1);
  EXPECT_EQ(detail::flush_together(views_, {}), errc::success);
  EXPECT_EQ(happened_, "asked b waited b ");
}

TEST_F(FlushTogether, FlushesTheOthersWhereOneFails) {
  notify(0);
  notify(1);
  ways_[0]->fails = true;
  EXPECT_EQ(detail::flush_together(views_, {}), errc::system);
  EXPECT_EQ(happened_, "asked a asked b waited b ");
  EXPECT_NE(cores_[0]->failure.first(), "");
  EXPECT_EQ(cores_[1]->failure.first(), "");
  cores_[0]->clear_failure();
}

}  // namespace
}  // namespace oriel::win
