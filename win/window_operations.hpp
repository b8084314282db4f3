// What the operations of one window are made of, chosen once.
#pragma once

#include <array>
#include <optional>

#include "atomics/gates.hpp"
#include "atomics/kernels.hpp"
#include "atomics/stripes.hpp"
#include "oriel/detail/operation_table.hpp"
#include "oriel/detail/owner_calls.hpp"
#include "oriel/primitive.hpp"

namespace oriel::win {

struct window_operations {
  // How this process does the atomics of mapped memory, and the loops that do so, by element type.
  atomics::kernel_mode arithmetic = atomics::kernel_mode::atomic;
  std::array<const atomics::kernel_row*, primitive_count> rows{};
  std::array<atomics::compare_swap_fn, primitive_count> swaps{};
  std::optional<atomics::stripes> stripes;
  std::optional<atomics::gates> gates;  // none: no accumulate is long
  detail::owner_calls calls;            // of programs; performs none where there are none
  // Filled by assemble(), all but the first where others call them.
  detail::operation_table table;
  detail::operation_table ungathered;  // what operations that gather call
  detail::operation_table unstaged;    // what operations on origins in device memory call
  detail::operation_table unwatched;   // what those that others see are made of
  detail::operation_table unchecked;   // what the checked ones are made of
  detail::operation_table unreported;  // what those call that report what is found
  detail::operation_table untraced;    // what those call whose times are noted
};

}  // namespace oriel::win
