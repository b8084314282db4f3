// Which gets of another node's memory are reads, and which are asked of its owner's process: the
// way to the other node is a stand-in here, which answers nothing by itself.
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "tests/win/far_window.hpp"
#include "tests/win/stand_in_fabric.hpp"

namespace oriel::win {
namespace {

class quick_fabric final : public stand_in_fabric {
 public:
  std::size_t sooner_up_to = 16;  // bytes
  std::vector<pending_ops*> read, asked;

  bool answers_sooner(int, std::size_t bytes) noexcept override { return bytes <= sooner_up_to; }
  errc get(const transport::remote_place&, void*, std::size_t, pending_ops& ops, pending_ops*,
           const transport::device_place*) noexcept override {
    ops.begin();
    read.push_back(&ops);
    return errc::success;
  }
  errc request(int, transport::message_head, std::span<const std::byte>, void*, std::size_t,
               pending_ops& ops, pending_ops*) noexcept override {
    ops.begin();
    asked.push_back(&ops);
    return errc::success;
  }
  static void complete(std::vector<pending_ops*>& begun) {
    for (pending_ops* const ops : std::exchange(begun, {})) ops->end(errc::success);
  }
};

class FarGet : public FarWindow<quick_fabric> {
 protected:
  ~FarGet() override {
    quick_fabric::complete(way_.asked);
    quick_fabric::complete(way_.read);
  }
  void get(std::size_t bytes) {
    EXPECT_EQ(far_->get(rank{0}, 0, values_.data(), bytes, nullptr), errc::success);
  }

  std::array<std::uint64_t, 8> values_{};
};

TEST_F(FarGet, IsAskedForWhereThatIsSooner) {
  get(16);
  EXPECT_EQ(way_.asked.size(), 1u);
  EXPECT_EQ(way_.read.size(), 0u);
  quick_fabric::complete(way_.asked);
  get(24);
  EXPECT_EQ(way_.asked.size(), 0u);
  EXPECT_EQ(way_.read.size(), 1u);
}

TEST_F(FarGet, OfManyIsRead) {
  for (int i = 0; i < 5; ++i) get(8);
  EXPECT_EQ(way_.asked.size(), 1u);
  EXPECT_EQ(way_.read.size(), 4u);
  // The first has come back, the others have not.
  quick_fabric::complete(way_.asked);
  get(8);
  EXPECT_EQ(way_.asked.size(), 0u);
  EXPECT_EQ(way_.read.size(), 5u);
}

TEST_F(FarGet, IsReadWhereThatIsSooner) {
  way_.sooner_up_to = 0;
  get(8);
  EXPECT_EQ(way_.asked.size(), 0u);
  EXPECT_EQ(way_.read.size(), 1u);
}

}  // namespace
}  // namespace oriel::win
