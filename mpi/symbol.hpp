// The name of a function as an argument of templates.
#pragma once

#include <algorithm>
#include <cstddef>

namespace oriel::mpi {

template <std::size_t N>
struct symbol {
  constexpr symbol(const char (&text)[N]) noexcept {  // NOLINT: a literal is a symbol's name
    std::copy_n(text, N, name);
  }
  char name[N];
};

}  // namespace oriel::mpi
