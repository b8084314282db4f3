// What a flush waits for where writes are read back: the way to the other node is a stand-in here,
// which holds a write while another thread flushes.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/support/job.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/dismantle.hpp"
#include "win/route/remote_window.hpp"

namespace oriel::win {
namespace {

using transport::pending_ops;

// A fabric that completes everything at once, and counts.
class counting_fabric final : public transport::fabric {
 public:
  std::promise<void> put_is_on_its_way, put_may_leave;
  std::atomic<int> reads{0};
  std::atomic<bool> holds{false};  // the next put

  errc put(const transport::remote_place&, const void*, std::size_t, bool, pending_ops&,
           pending_ops*, const transport::device_place*) noexcept override {
    if (!holds.exchange(false)) return errc::success;
    put_is_on_its_way.set_value();
    put_may_leave.get_future().wait();
    return errc::success;
  }
  errc get(const transport::remote_place&, void*, std::size_t, pending_ops&, pending_ops*,
           const transport::device_place*) noexcept override {
    ++reads;
    return errc::success;
  }
  bool test(pending_ops& ops, int) noexcept override { return ops.idle(); }
  errc wait(pending_ops& ops, int, const sync::peer_watch&) noexcept override {
    return ops.take_failure();
  }
  [[nodiscard]] transport::completion how() const noexcept override {
    return transport::completion::read_back;
  }

  // Not called here.
  errc request(int, transport::message_head, std::span<const std::byte>, void*, std::size_t,
               pending_ops&, pending_ops*) noexcept override {
    return errc::system;
  }
  bool try_request(int, transport::message_head, std::span<const std::byte>, void*, std::size_t,
                   pending_ops&) noexcept override {
    return false;
  }
  void tick_soon() noexcept override {}
  errc request(int, transport::message_head, std::span<const std::byte>,
               std::unique_ptr<transport::answer_sink>, pending_ops&,
               pending_ops*) noexcept override {
    return errc::system;
  }
  errc tell(int, transport::message_head, std::span<const std::byte>) noexcept override {
    return errc::system;
  }
  errc wait_for(const std::function<bool()>&, const sync::peer_watch&) noexcept override {
    return errc::system;
  }
  std::unique_ptr<transport::exposure> expose(
      void*, std::size_t, std::uint64_t, const std::optional<transport::device_place>&) override {
    return nullptr;
  }
  void keep(std::unique_ptr<transport::exposure>) noexcept override {}
  [[nodiscard]] bool keys_are_agreed() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t key_of(std::uint64_t window) const noexcept override {
    return window;
  }
  void add_service(std::uint64_t, transport::service&) override {}
  void remove_service(std::uint64_t) noexcept override {}
  void reply(const transport::message_head&, errc, std::span<const std::byte>) noexcept override {}
  void start_agent() override {}
  void stop_agent() noexcept override {}
  [[nodiscard]] std::uint64_t messages() const noexcept override { return 0; }
  [[nodiscard]] std::string provider() const override { return "none"; }
  [[nodiscard]] const std::string& registers(kinds::vendor) const noexcept override {
    return nothing_;
  }
  errc send(int, const sessions::message_tag&, std::span<const std::byte>) noexcept override {
    return errc::system;
  }
  errc receive(int, const sessions::message_tag&, std::vector<std::byte>&,
               const sync::peer_watch&) noexcept override {
    return errc::system;
  }
  bool progress() noexcept override { return false; }
  [[nodiscard]] bool progresses_by_itself() const noexcept override { return true; }

 private:
  std::string nothing_;
};

class FarFlush : public ::testing::Test {
 protected:
  FarFlush() {
    const window_options options;
    construction c;
    c.base = datatype::of<std::uint64_t>();
    c.count = 1;
    c.promised = assertion::shared_lock;
    c.options = &options;
    core_ = build(oriel::testing::world(), c);
    far_.emplace(*core_, way_, 1, false);
  }
  ~FarFlush() override {
    far_.reset();
    dismantle(std::move(core_)).or_throw();
  }
  errc put() { return far_->put(rank{0}, 0, &value_, sizeof value_, nullptr); }
  [[nodiscard]] std::uint32_t pending() const { return core_->hot.pending.load(); }

  counting_fabric way_;
  std::uint64_t value_ = 7;
  std::unique_ptr<detail::window_core> core_;
  std::optional<remote_window> far_;
};

TEST_F(FarFlush, ReadsOnceForAllThatWasWritten) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(put(), errc::success);
  EXPECT_NE(pending(), 0u);
  EXPECT_EQ(far_->flush(rank{0}), errc::success);
  EXPECT_EQ(way_.reads, 1);
  EXPECT_EQ(pending(), 0u);
  EXPECT_EQ(far_->flush(rank{0}), errc::success);
  EXPECT_EQ(way_.reads, 1);
}

TEST_F(FarFlush, OfOneThreadDoesNotCountForAPutOfAnotherThatHadNotLeft) {
  way_.holds = true;
  auto on_its_way = way_.put_is_on_its_way.get_future();
  std::thread writer([this] { EXPECT_EQ(put(), errc::success); });
  on_its_way.wait();
  EXPECT_EQ(put(), errc::success);
  EXPECT_EQ(far_->flush(rank{0}), errc::success);  // reads before the other's put leaves
  const int before = way_.reads;
  way_.put_may_leave.set_value();
  writer.join();
  EXPECT_NE(pending(), 0u) << "a flush would find nothing to do";
  EXPECT_EQ(far_->flush(rank{0}), errc::success);
  EXPECT_EQ(way_.reads, before + 1);
  EXPECT_EQ(pending(), 0u);
}

}  // namespace
}  // namespace oriel::win
