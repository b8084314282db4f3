// Functions that the processes of a window perform for ranks of other nodes, on the memory of the
// ranks of their own: for data structures over windows (hash_map.hpp), whose operations are several
// accesses each. They travel as operations on single elements do, many in a message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "oriel/rank.hpp"

namespace oriel::detail {

// Whose memory a call is on, and the element that it will access first: that is fetched while the
// calls before it are performed. It need not exist.
struct owner_call_place {
  rank owner;
  disp first;
};

// `n` calls of one kind. Request j lies at requests + j * stride; results are dense.
struct owner_call_block {
  std::uint8_t kind = 0;         // below owner_calls::most_kinds
  const rank* owners = nullptr;  // of this node, whose memory this process maps
  const std::byte* requests = nullptr;
  std::size_t stride = 0;
  std::byte* results = nullptr;
  std::size_t n = 0;
};

// Of one kind of calls, in bytes.
struct owner_call_sizes {
  std::size_t request = 0;
  std::size_t result = 0;  // 0: there is no such kind
};

// What is the same in all processes of a window, but `self`.
struct owner_calls {
  static constexpr std::uint8_t most_kinds = 16;
  std::array<owner_call_sizes, most_kinds> sizes{};  // by kind
  void* self = nullptr;
  // On whatever thread makes progress, one at a time; must not wait for another process.
  void (*perform)(void* self, const owner_call_block&) noexcept = nullptr;
};

}  // namespace oriel::detail
