// Parts of what collectives move: where they are, and getting them from another PE.
#pragma once

#include <cstddef>

#include "shmem/transfers.hpp"

namespace oriel::shmem {

inline std::byte* behind(void* at, std::size_t bytes) noexcept {
  return static_cast<std::byte*>(at) + bytes;
}
inline const std::byte* behind(const void* at, std::size_t bytes) noexcept {
  return static_cast<const std::byte*>(at) + bytes;
}

// Is here behind process::quiet.
inline void get_part(void* dest, const void* source, std::size_t bytes, int pe) noexcept {
  get(SHMEM_CTX_DEFAULT, dest, source, bytes, pe, completion::by_quiet);
}

}  // namespace oriel::shmem
