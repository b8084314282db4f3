// What a packet says: one message that carries operations on single elements of a window, for the
// ranks of one node (docs/SMALL_OPERATIONS.md). Its payload is entries, each a word and then its
// operands; the answer has the results, densely and in the order of the entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "oriel/atomic_op.hpp"
#include "oriel/detail/element_list.hpp"
#include "transport/message.hpp"

namespace oriel::win {

// Bytes that one operation gives and gets, for elements of `extent` bytes.
constexpr std::size_t operand_bytes(detail::list_call call, atomic_op op,
                                    std::size_t extent) noexcept {
  using detail::list_call;
  const bool reads =
      call == list_call::get || (call == list_call::fetch_op && op == atomic_op::no_op);
  return reads ? 0 : call == list_call::compare_swap ? 2 * extent : extent;
}
constexpr std::size_t result_bytes(detail::list_call call, std::size_t extent) noexcept {
  return call == detail::list_call::put || call == detail::list_call::accumulate ? 0 : extent;
}
constexpr bool writes(detail::list_call call, atomic_op op) noexcept {
  return call != detail::list_call::get &&
         !(call == detail::list_call::fetch_op && op == atomic_op::no_op);
}

// The body of its message.
struct packet_request {
  std::uint32_t entries = 0;
  std::uint32_t results = 0;  // bytes
};

// Where an entry's word has what it says.
struct packet_word {
  detail::list_call call;
  atomic_op op;
  std::uint32_t node_rank;  // of the owner
  std::uint64_t index;      // of the element

  static constexpr int call_bits = 3, op_bits = 4, rank_bits = 10;
  static constexpr int index_bits = 64 - call_bits - op_bits - rank_bits;
  static constexpr std::uint64_t most_ranks = std::uint64_t{1} << rank_bits;
  static constexpr std::uint64_t most_elements = std::uint64_t{1} << index_bits;

  [[nodiscard]] constexpr std::uint64_t packed() const noexcept {
    return index | std::uint64_t{node_rank} << index_bits |
           static_cast<std::uint64_t>(op) << (index_bits + rank_bits) |
           static_cast<std::uint64_t>(call) << (index_bits + rank_bits + op_bits);
  }
  // Whatever the bits are: call and op may be none that there is.
  static constexpr packet_word unpacked(std::uint64_t word) noexcept {
    return {static_cast<detail::list_call>(word >> (64 - call_bits)),
            static_cast<atomic_op>(word >> (index_bits + rank_bits) & ((1u << op_bits) - 1)),
            static_cast<std::uint32_t>(word >> index_bits & (most_ranks - 1)),
            word & (most_elements - 1)};
  }
};
static_assert(atomic_op_count <= std::size_t{1} << packet_word::op_bits);
static_assert(detail::list_call_count <= std::size_t{1} << packet_word::call_bits);

// Longer elements travel alone: their words are not worth saving.
inline constexpr std::size_t longest_in_packet = 1024;
inline constexpr std::size_t packet_bytes = transport::longest_payload;

}  // namespace oriel::win
