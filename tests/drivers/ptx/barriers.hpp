// Where threads wait for each other: all of a block, or lanes of a warp, which then may hand each
// other registers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tests/drivers/ptx/machine.hpp"

namespace oriel::test_driver::ptx {

constexpr std::array<std::string_view, 4> shuffles{"up", "down", "bfly", "idx"};
constexpr std::uint8_t warp_barrier_alone = 4;  // no shuffle
constexpr std::uint8_t first_vote = 5;
constexpr std::array<std::string_view, 4> votes{"ballot", "any", "all", "uni"};

// Lets the threads go on for whom everybody is there; threads that have ended are not waited for.
void complete_block_barrier(block&);
void complete_warp_barrier(block&, unsigned warp);

}  // namespace oriel::test_driver::ptx
