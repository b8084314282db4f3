// Building a window, collectively.
#pragma once

#include <cstddef>
#include <memory>

#include "oriel/datatype.hpp"
#include "oriel/team.hpp"
#include "oriel/window_options.hpp"
#include "win/construct/window_plan.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

struct construction {
  flavor how = flavor::allocate;
  void* memory = nullptr;  // create
  std::size_t count = 0;   // elements
  datatype base;
  assertion_set promised;
  const window_options* options = nullptr;
  bool bare = false;  // the caller's loads and stores call nothing
};

// Throws the same error on every rank.
std::unique_ptr<detail::window_core> build(const team&, const construction&);

}  // namespace oriel::win
