// What an update makes of a word.
#pragma once

#include <cstdint>

#include "tests/drivers/ptx/module.hpp"

namespace oriel::test_driver::ptx {

// Returns the bits that atom or red leaves where `before` was. Not of cas.
std::uint64_t combined_bits(const instruction&, std::uint64_t before, std::uint64_t operand);

}  // namespace oriel::test_driver::ptx
