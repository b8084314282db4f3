// Every input of the decisions of construction.
#pragma once

#include <vector>

#include "oriel/assertion.hpp"

namespace oriel::win {

inline std::vector<assertion_set> all_sets() {
  std::vector<assertion_set> sets;
  for (std::uint32_t bits = 0; bits < (1u << all_assertions.size()); ++bits) {
    assertion_set s;
    for (std::size_t i = 0; i < all_assertions.size(); ++i)
      if ((bits >> i & 1) != 0) s = s | all_assertions[i];
    sets.push_back(s);
  }
  return sets;
}

// Every combination of `n` flags.
template <class Check>
void for_all_flags(int n, Check check) {
  for (unsigned bits = 0; bits < (1u << n); ++bits)
    check([bits](int i) { return (bits >> i & 1) != 0; });
}

}  // namespace oriel::win
