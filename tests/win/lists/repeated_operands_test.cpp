// Packets in which accumulates do not repeat the operand of the one before them, as their receiver
// meets them.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <initializer_list>
#include <span>
#include <vector>

#include "tests/win/far_window.hpp"
#include "tests/win/lists/asking_fabric.hpp"
#include "win/route/remote_call.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using detail::list_call;
using words = std::vector<std::uint64_t>;

std::uint64_t on(std::uint64_t i, list_call call, atomic_op op = atomic_op::sum) {
  return packet_word{call, packet_word::number(op), 0, i}.packed();
}

std::uint64_t a_put_on(std::uint64_t i) {
  const packet_run one = packet_run::of(1);
  return packet_word{list_call::put, one.kind, 0, i, one.type}.packed();
}

class RepeatedOperands : public FarWindow<asking_fabric> {
 protected:
  // A packet of so many entries arrives. Returns its answer's outcome.
  errc take(std::uint32_t entries, const words& packet) {
    transport::message_head head;
    head.kind = transport::message_kind::request;
    head.call = static_cast<std::uint8_t>(remote_call::packet);
    head.cookie = 1;
    head.bytes = static_cast<std::uint32_t>(packet.size() * sizeof packet[0]);
    head.carry(packet_request{entries, 0, 0});
    far_->serve({head, std::as_bytes(std::span(packet))});
    return way_.answer();
  }
  [[nodiscard]] std::array<std::uint64_t, 4> first() const {
    std::array<std::uint64_t, 4> v{};
    std::memcpy(v.data(), core_->memory.local, sizeof v);
    return v;
  }
};

constexpr std::array<std::uint64_t, 4> nothing{};

TEST_F(RepeatedOperands, AreTheLastOnesGiven) {
  using enum list_call;
  EXPECT_EQ(take(7, {on(0, accumulate), 5, on(1, accumulate), 7, on(2, accumulate_again),
                     on(2, accumulate_again), a_put_on(3), 100, on(3, accumulate_again),
                     on(0, accumulate_again)}),
            errc::success);
  EXPECT_EQ(first(), (std::array<std::uint64_t, 4>{12, 7, 14, 107}));
}

TEST_F(RepeatedOperands, AreOfTheSameOperation) {
  using enum list_call;
  EXPECT_EQ(take(3, {on(0, accumulate), 5, on(1, accumulate, atomic_op::max), 7,
                     on(2, accumulate_again, atomic_op::sum)}),
            errc::arg);
  EXPECT_EQ(first(), nothing);
}

TEST_F(RepeatedOperands, AreNoneWhereNoneWasGiven) {
  using enum list_call;
  EXPECT_EQ(take(2, {a_put_on(0), 5, on(1, accumulate_again)}), errc::arg);
  EXPECT_EQ(take(1, {on(1, accumulate_again)}), errc::arg);
  EXPECT_EQ(first(), nothing);
}

// As what verifies packets has in mind before the first entry.
TEST_F(RepeatedOperands, AreOfACallThatThereIs) {
  EXPECT_EQ(take(1, {packet_kind{}.word << packet_word::index_bits}), errc::arg);
  EXPECT_EQ(take(1, {packet_kind{}.word}), errc::arg);
}

TEST_F(RepeatedOperands, OfElementsThatAreNotExposedAreRefused) {
  using enum list_call;
  EXPECT_EQ(take(2, {on(0, accumulate), 5, on(8, accumulate_again)}), errc::rma_range);
  EXPECT_EQ(first(), nothing);
}

}  // namespace
}  // namespace oriel::win
