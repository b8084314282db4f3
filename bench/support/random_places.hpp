// Random elements of 8 bytes on any ranks, for oriel's rows and the limits beside them alike: as
// many as no cache holds, drawn before anything is timed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/support/measure.hpp"

namespace bench {

// Elements of a rank: 32 MiB.
inline constexpr std::size_t random_elements = std::size_t{4} << 20;
// Operations that are drawn: on as many lines of memory, 64 MiB of them.
inline constexpr std::size_t random_draws = std::size_t{1} << 20;
// Operations of one call, where calls take lists.
inline constexpr std::size_t operations_a_list = 4096;

// A permutation of the words that looks random (splitmix64).
constexpr std::uint64_t mixed(std::uint64_t i) {
  i += 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}

// Where the operations of one rank go: `only`, or any of `ranks`.
template <class Rank, class Disp>
struct random_places {
  std::vector<Rank> ranks;
  std::vector<Disp> disps;

  random_places(int me, std::uint64_t all, int only = -1) {
    for (std::uint64_t i = 0; i < random_draws; ++i) {
      const std::uint64_t h = mixed(i * all + static_cast<std::uint64_t>(me));
      ranks.push_back(Rank(only >= 0 ? only : static_cast<int>(h % all)));
      disps.push_back(Disp((h >> 32) % random_elements));
    }
  }
};

// Darts that find a place each, one in two of all elements, by compare_swap as Bale makes a random
// permutation.
inline constexpr std::size_t darts_a_rank = random_elements / 2;
struct dart_throw {
  std::int32_t rank;
  std::uint64_t element;

  dart_throw(int me, std::uint64_t all, std::uint64_t i) {
    const std::uint64_t h = mixed(i * all + static_cast<std::uint64_t>(me));
    rank = static_cast<std::int32_t>((h & 0xffffffff) * all >> 32);
    element = (h >> 32) % random_elements;
  }
};

// `work(first, count)` performs drawn operations [first, first + count), and `finish` waits for
// them before any of them comes again; all ranks at once. Returns the time of one operation of a
// rank, in nanoseconds, until all ranks have done theirs. Before that an eighth of them is done,
// since an operation that is the first on its page costs as much as hundreds.
template <class Work, class Finish>
double nanoseconds_a_draw(party& all, double seconds, Work work, Finish finish) {
  const auto draw = [&](std::size_t n) {
    for (std::size_t at = 0; at < n; at += operations_a_list)
      work(at, std::min(operations_a_list, n - at));
    finish();
  };
  draw(random_draws / 8);
  return nanoseconds_each(all, seconds, [&](long n) {
    for (std::size_t left = static_cast<std::size_t>(n); left != 0;) {
      const std::size_t pass = std::min(left, random_draws);
      draw(pass);
      left -= pass;
    }
    all.barrier();
  });
}

}  // namespace bench
