// Pages of memory, and sizes that are made of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oriel::sessions {

inline constexpr std::size_t page = 4096;
inline constexpr std::size_t huge_page =
    2u << 20;  // large blocks of the node's memory are made of these

// To a multiple of `to`.
constexpr std::uint64_t round_down(std::uint64_t n, std::uint64_t to) {
  return n / to * to;
}
constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t to) {
  return round_down(n + to - 1, to);
}

}  // namespace oriel::sessions
