// A stand-in for a way to other nodes that keeps the outcomes of answers.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <utility>
#include <vector>

#include "tests/win/stand_in_fabric.hpp"

namespace oriel::win {

class asking_fabric final : public stand_in_fabric {
 public:
  void reply(const transport::message_head&, errc outcome,
             std::span<const std::byte>) noexcept override {
    answers_.push_back(outcome);
  }
  [[nodiscard]] bool has_answered() const { return !answers_.empty(); }
  // Of the only one since the last call.
  errc answer() {
    EXPECT_EQ(answers_.size(), 1u);
    return std::exchange(answers_, {}).at(0);
  }

 private:
  std::vector<errc> answers_;
};

}  // namespace oriel::win
