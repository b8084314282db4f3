// The operations on one element of 8 bytes that rows time.
#pragma once

#include "bench/rows/rows.hpp"

namespace bench {

using word = std::uint64_t;

inline constexpr auto put = [](auto& w, oriel::rank t, oriel::disp d, long i) {
  static_cast<void>(w.put(t, d, static_cast<word>(i)));
};
inline constexpr auto get = [](auto& w, oriel::rank t, oriel::disp d, long) { keep(w.get(t, d)); };
inline constexpr auto fetch_add = [](auto& w, oriel::rank t, oriel::disp d, long) {
  keep(w.fetch_add(t, d, 1));
};
inline constexpr auto compare_swap = [](auto& w, oriel::rank t, oriel::disp d, long i) {
  keep(w.compare_swap(t, d, 1, static_cast<word>(i)));
};
inline constexpr auto accumulate = [](auto& w, oriel::rank t, oriel::disp d, long) {
  static_cast<void>(w.add(t, d, 1));
};

}  // namespace bench
