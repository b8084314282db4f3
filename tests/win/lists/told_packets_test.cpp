// Packets that have no answer of their own, as their receiver meets them: what became of them is
// told by the next answer.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <span>

#include "tests/win/far_window.hpp"
#include "tests/win/lists/asking_fabric.hpp"
#include "win/route/remote_call.hpp"
#include "win/route/remote_window.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

constexpr std::uint64_t elements = 8;  // of FarWindow

class ToldPackets : public FarWindow<asking_fabric> {
 protected:
  // A packet of one sum arrives, on element `i`. `told`: nothing where it wants no answer.
  void add(std::uint64_t i, std::optional<std::uint32_t> told = {}) {
    const std::uint64_t entry[] = {
        packet_word{detail::list_call::accumulate, packet_word::number(atomic_op::sum), 0, i}
            .packed(),
        1};
    transport::message_head head;
    head.kind = transport::message_kind::request;
    head.call = static_cast<std::uint8_t>(remote_call::packet);
    head.cookie = told ? 1 : 0;
    head.bytes = sizeof entry;
    head.carry(packet_request{1, 0, told.value_or(0)});
    far_->serve({head, std::as_bytes(std::span(entry))});
  }
  [[nodiscard]] std::uint64_t value(std::uint64_t i) const {
    std::uint64_t v = 0;
    std::memcpy(&v, core_->memory.local + i * sizeof v, sizeof v);
    return v;
  }
  errc answer() { return way_.answer(); }
};

TEST_F(ToldPackets, ArePerformedAndAnsweredTogether) {
  add(3);
  add(3);
  EXPECT_FALSE(way_.has_answered());
  EXPECT_EQ(value(3), 2u);
  add(4, 2);
  EXPECT_EQ(answer(), errc::success);
  EXPECT_EQ(value(4), 1u);
}

TEST_F(ToldPackets, OfWhichOneIsRefusedFailOnce) {
  add(elements);
  add(3);
  add(4, 2);
  EXPECT_EQ(answer(), errc::rma_range);
  EXPECT_EQ(value(3), 1u);
  EXPECT_EQ(value(4), 1u);
  add(4, 2);
  EXPECT_EQ(answer(), errc::success);
}

TEST_F(ToldPackets, ThatHaveNotArrivedFailOnce) {
  add(3);
  add(4, 2);
  EXPECT_EQ(answer(), errc::system);
  add(3);
  add(4, 3);
  EXPECT_EQ(answer(), errc::success);
  EXPECT_EQ(value(3), 2u);
}

TEST_F(ToldPackets, OfWhichNoneHasArrivedFail) {
  add(4, 1);
  EXPECT_EQ(answer(), errc::system);
}

}  // namespace
}  // namespace oriel::win
