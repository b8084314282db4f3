// The lists of one call (oriel/list_operations.hpp), without the window's type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/atomic_op.hpp"
#include "oriel/rank.hpp"

namespace oriel::detail {

// The last two are in no element_list. by_owner: no operation of the window's
// (detail/owner_calls.hpp). accumulate_again: with the operand of the accumulate before it, in
// packets.
enum class list_call : std::uint8_t {
  put,
  get,
  accumulate,
  fetch_op,
  compare_swap,
  by_owner,
  accumulate_again,
  last = accumulate_again
};
inline constexpr std::size_t list_call_count = 1 + static_cast<std::size_t>(list_call::last);

// Operation j is on element disps[j] of rank ranks[j]. Buffers are dense, of elements of the base
// datatype; null where the call has none.
struct element_list {
  list_call call = list_call::put;
  atomic_op op = atomic_op::replace;  // of accumulate and fetch_op
  std::size_t n = 0;
  const rank* ranks = nullptr;
  const disp* disps = nullptr;
  const void* operands = nullptr;  // what compare_swap expects
  const void* desired = nullptr;
  void* results = nullptr;
};

}  // namespace oriel::detail
