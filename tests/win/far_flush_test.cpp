// What a flush waits for where writes are read back: the way to the other node is a stand-in here,
// which holds a write while another thread flushes.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/win/far_window.hpp"
#include "tests/win/stand_in_fabric.hpp"

namespace oriel::win {
namespace {

// Counts reads.
class counting_fabric final : public stand_in_fabric {
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
};

class FarFlush : public FarWindow<counting_fabric> {
 protected:
  errc put() { return far_->put(rank{0}, 0, &value_, sizeof value_, nullptr); }
  [[nodiscard]] std::uint32_t pending() const { return core_->hot.pending.load(); }

  std::uint64_t value_ = 7;
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
