// Functions that the processes of a window perform for ranks of other nodes, on the memory of the
// ranks of their own: for data structures over windows (hash_map.hpp), whose operations are several
// accesses each. They travel as operations on single elements do, many in a message.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/rank.hpp"

namespace oriel::detail {

// `n` calls of one kind. Request j lies at requests + j * stride; results are dense.
struct owner_call_block {
  std::uint8_t kind = 0;         // below owner_calls::most_kinds
  const rank* owners = nullptr;  // of this node, whose memory this process maps
  const std::byte* requests = nullptr;
  std::size_t stride = 0;
  std::byte* results = nullptr;
  std::size_t n = 0;
};

// What is the same in all processes of a window, but `self`.
struct owner_calls {
  static constexpr std::uint8_t most_kinds = 16;
  std::size_t request_bytes = 0;
  std::size_t result_bytes = 0;  // not 0
  void* self = nullptr;
  // On whatever thread makes progress, one at a time; must not wait for another process.
  void (*perform)(void* self, const owner_call_block&) noexcept = nullptr;
};

}  // namespace oriel::detail
