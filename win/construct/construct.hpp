// Building a window, collectively.
#pragma once

#include <memory>

#include "oriel/team.hpp"
#include "oriel/window_options.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

struct construction {
  flavor how = flavor::allocate;
  void* memory = nullptr;  // create
  std::size_t count = 0;   // elements
  datatype base;
  assertion_set promised;
  const window_options* options = nullptr;
  bool bare = false;  // see window_core
};

// Throws the same error on every rank.
std::unique_ptr<detail::window_core> build(const team&, const construction&);

}  // namespace oriel::win
