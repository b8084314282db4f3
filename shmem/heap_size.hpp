// How large the symmetric heap is.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace oriel::shmem {

inline constexpr std::size_t default_heap_bytes = std::size_t{512} << 20;

// Returns the bytes that a value of SHMEM_SYMMETRIC_SIZE stands for: a number, which may have a
// fraction, and at its end K, M, G or T, of 1024 each, in any case. Nothing for other texts.
std::optional<std::size_t> heap_bytes_from(std::string_view text) noexcept;

}  // namespace oriel::shmem
