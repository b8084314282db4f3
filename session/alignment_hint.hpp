// mpi_minimum_memory_alignment (MPI-4.1 §9.2): of alloc_mem, and of windows that allocate.
#pragma once

#include <cstdint>

#include "oriel/info.hpp"

namespace oriel::sessions {

// Bytes; `otherwise` when the hint is absent. Throws errc::info when it is no power of two up to
// 2^30.
std::uint64_t alignment_hint(const info&, std::uint64_t otherwise);

}  // namespace oriel::sessions
