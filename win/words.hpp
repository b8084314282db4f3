// A string that can be a template argument.
#pragma once

#include <algorithm>
#include <cstddef>

namespace oriel::win {

template <std::size_t N>
struct words {
  char text[N]{};
  constexpr words(const char (&from)[N]) { std::copy_n(from, N, text); }  // NOLINT: a literal
};

}  // namespace oriel::win
