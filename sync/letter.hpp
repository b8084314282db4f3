// A small operation that a rank leaves for the owner of its target in words which the owner reads
// anyway as the two synchronize: no line of memory moves between processors for it alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "oriel/atomic_op.hpp"
#include "sync/am_kind.hpp"

namespace oriel::sync {

// Plain data in shared memory, zeroed at first.
struct letter {
  static constexpr std::size_t most = 16;  // bytes of operands

  std::uint64_t address = 0;    // in the owner's address space
  std::uint32_t turn = 0;       // of the barrier that it goes by
  std::int32_t to = 0;          // a rank of the node, as `from` is
  am_kind kind = am_kind::put;  // or accumulate
  atomic_op op = atomic_op::no_op;
  primitive type = primitive::opaque;
  std::uint8_t bytes = 0;  // 0: there is none
  std::int32_t from = 0;
  std::array<std::byte, most> operands{};
};
static_assert(sizeof(letter) == 40);

}  // namespace oriel::sync
