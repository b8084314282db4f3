// What a flush waits for where writes are read back: the way to the other node is a stand-in here,
// which holds a write while another thread flushes.
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <thread>
#include <utility>

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

// The target of the next put has died; what else happens as a thread waits.
class failing_fabric final : public stand_in_fabric {
 public:
  std::function<void()> meanwhile;

  errc put(const transport::remote_place&, const void*, std::size_t, bool, pending_ops& ops,
           pending_ops*, const transport::device_place*) noexcept override {
    ops.begin();
    ops.end(errc::peer_failed);
    return errc::success;
  }
  errc wait(pending_ops& ops, int to, const sync::peer_watch& watch) noexcept override {
    if (meanwhile) meanwhile();
    return stand_in_fabric::wait(ops, to, watch);
  }
};

class FarFlush : public FarWindow<counting_fabric> {
 protected:
  errc put() { return far_->put(rank{0}, 0, &value_, sizeof value_, nullptr); }
  [[nodiscard]] std::uint32_t pending() const { return core_->hot.pending.load(); }

  std::uint64_t value_ = 7;
  rank failed_;
};

TEST_F(FarFlush, ReadsOnceForAllThatWasWritten) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(put(), errc::success);
  EXPECT_NE(pending(), 0u);
  EXPECT_EQ(far_->flush(rank{0}, failed_), errc::success);
  EXPECT_EQ(way_.reads, 1);
  EXPECT_EQ(pending(), 0u);
  EXPECT_EQ(far_->flush(rank{0}, failed_), errc::success);
  EXPECT_EQ(way_.reads, 1);
}

TEST_F(FarFlush, OfOneThreadDoesNotCountForAPutOfAnotherThatHadNotLeft) {
  way_.holds = true;
  auto on_its_way = way_.put_is_on_its_way.get_future();
  std::thread writer([this] { EXPECT_EQ(put(), errc::success); });
  on_its_way.wait();
  EXPECT_EQ(put(), errc::success);
  EXPECT_EQ(far_->flush(rank{0}, failed_), errc::success);  // reads before the other's put leaves
  const int before = way_.reads;
  way_.put_may_leave.set_value();
  writer.join();
  EXPECT_NE(pending(), 0u) << "a flush would find nothing to do";
  EXPECT_EQ(far_->flush(rank{0}, failed_), errc::success);
  EXPECT_EQ(way_.reads, before + 1);
  EXPECT_EQ(pending(), 0u);
}

// A flush of the program's returns what is latched, where it finds nothing that has failed.
class FailedFarFlush : public FarWindow<failing_fabric> {
 protected:
  bool finds_nothing() {
    const errc found = core_->hot.pending == 0 ? errc::success : far_->flush(rank{0}, failed_);
    return found == errc::success && core_->hot.first_error == 0;
  }

  rank failed_;
};

TEST_F(FailedFarFlush, IsLatchedBeforeAnotherThreadFindsNothing) {
  const std::uint64_t value = 7;
  EXPECT_EQ(far_->put(rank{0}, 0, &value, sizeof value, nullptr), errc::success);
  int in_vain = 0;
  way_.meanwhile = [&] {
    const auto all = std::exchange(way_.meanwhile, nullptr);  // the other's waits are but waits
    in_vain += finds_nothing() ? 1 : 0;
    way_.meanwhile = all;
  };
  in_vain += finds_nothing() ? 1 : 0;
  way_.meanwhile = nullptr;
  EXPECT_EQ(in_vain, 0);
  core_->clear_failure();
}

}  // namespace
}  // namespace oriel::win
