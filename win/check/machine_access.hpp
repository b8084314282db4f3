// ORIEL_CHECK=pages: how much memory an instruction accesses that the processor has stopped at.
#pragma once

#include <cstddef>

namespace oriel::win {

struct machine_access {
  std::size_t bytes = 1;  // from the address on that the processor gives
  bool atomic = false;    // a locked instruction
};

// Of the x86-64 instruction at `code`, which accesses memory. Never more than it accesses: those
// that are rare, and those of AVX-512, count as one byte. Reads no further than the opcode.
machine_access decode(const unsigned char* code) noexcept;

}  // namespace oriel::win
