// Operations on single elements whose numbers are known, and what a window has counted of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/job.hpp"

namespace oriel::testing {

// Single elements of a window that is mapped everywhere are counted but for ORIEL_COUNT=0.
inline bool counts_words() {
  return std::getenv("ORIEL_COUNT") == nullptr || checking() || spans_nodes();
}

// One thread's, on elements of its own: in each of `times` turns two puts and one of each other
// kind, of which `own` has one put, the get and the accumulate.
inline void do_singles(window<std::uint64_t>& w, rank own, rank other, std::uint64_t thread,
                       std::uint64_t times) {
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < times; ++i) {
    static_cast<void>(w.put(own, disp{thread}, i));
    static_cast<void>(w.put(other, disp{thread}, i));
    static_cast<void>(w.get(own, disp{thread}, found));
    static_cast<void>(w.add(own, disp{8 + thread}, 1));
    w.fetch_add(other, disp{8 + thread}, 1);
    w.compare_swap(other, disp{16 + thread}, i, i + 1);
  }
}

inline void expect_singles(const window_statistics& s, std::uint64_t times, bool one_rank) {
  using tally = window_statistics::tally;
  EXPECT_EQ(s.of(operation_kind::put), (tally{2 * times, 2 * times * 8}));
  for (const auto k : {operation_kind::get, operation_kind::accumulate, operation_kind::fetch_op,
                       operation_kind::compare_swap})
    EXPECT_EQ(s.of(k), (tally{times, times * 8})) << name(k);
  EXPECT_EQ(s.of(access_route::self).operations, (one_rank ? 6 : 3) * times);
}

}  // namespace oriel::testing
