// What the ranks have agreed on for one window: constant once it is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "oriel/assertion.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/datatype.hpp"
#include "oriel/info.hpp"
#include "oriel/primitive.hpp"
#include "win/construct/window_plan.hpp"
#include "win/statistics/counting.hpp"

namespace oriel::win {

struct window_terms {
  std::uint64_t id = 0;  // the same on all ranks, and no other window's
  std::string name;
  datatype base;
  std::size_t extent = 0;                 // bytes from one element to the next
  primitive element = primitive::opaque;  // when the base is a single one
  assertion_set promised;
  op_set ops;
  std::size_t notify_counters = 0;
  // hints_in_force() makes of these what the window reports, when it is called.
  info asked_hints;
  std::shared_ptr<const info> team_hints;
  flavor how = flavor::allocate;
  window_plan plan;
  bool aggregate = false;  // window_options::aggregate
  bool checked = false;
  // Checked, traced or held back (ORIEL_ADVERSARY): every operation calls the window's table.
  bool watched = false;
  counting counted = counting::off;  // single elements on mapped memory
  bool bare = false;  // the caller's loads and stores call nothing: ORIEL_CHECK=1 does not see them
};

}  // namespace oriel::win
