// The program's static and global variables, which are symmetric: those of the executable itself.
// Those of shared libraries are not, as with other implementations.
#pragma once

#include <cstddef>
#include <span>

namespace oriel::shmem {

// Returns the memory of the executable's initialized and zeroed variables, without what the dynamic
// loader has made read-only; empty where there is none. PEs that run one executable have equal
// ones, at addresses of their own.
std::span<std::byte> static_memory() noexcept;

}  // namespace oriel::shmem
