// What a packet says: one message that carries operations on single elements of a window, and puts
// and gets of short runs of them, for the ranks of one node (docs/SMALL_OPERATIONS.md). Its payload
// is entries, each a word and then its operands; the answer has the results, densely and in the
// order of the entries. An accumulate whose operand is that of the accumulate before it need not
// repeat it, so that the ones of a histogram travel once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "oriel/atomic_op.hpp"
#include "oriel/detail/element_list.hpp"
#include "oriel/detail/numbered.hpp"
#include "oriel/detail/owner_calls.hpp"
#include "oriel/primitive.hpp"
#include "transport/message.hpp"

namespace oriel::win {

// What an entry is on: an element of the base datatype (opaque), or one of a primitive that begins
// at one, as windows of bytes have them.
inline std::size_t element_bytes(primitive type, std::size_t extent) noexcept {
  return type == primitive::opaque ? extent : size_of(type);
}

// Puts and gets are on runs of elements of the base datatype. They have the length where other
// calls have their kind and type.
struct packet_run {
  std::uint8_t kind;
  primitive type;

  static constexpr int kind_bits = 4, type_bits = 5;  // of packet_word
  static constexpr std::uint64_t longest = std::uint64_t{1} << (kind_bits + type_bits);
  static constexpr bool is_of(detail::list_call call) noexcept {
    return call == detail::list_call::put || call == detail::list_call::get;
  }
  // Requires: 1 <= n <= longest.
  static constexpr packet_run of(std::uint64_t n) noexcept {
    return {static_cast<std::uint8_t>((n - 1) & ((1u << kind_bits) - 1)),
            static_cast<primitive>((n - 1) >> kind_bits)};
  }
  [[nodiscard]] constexpr std::uint64_t elements() const noexcept {
    return 1 + (kind | std::uint64_t{static_cast<std::uint8_t>(type)} << kind_bits);
  }
};

struct packet_kind;

// Bytes that the entries of a window's packets give and get.
struct packet_sizes {
  std::size_t extent;  // of an element of the base datatype
  const detail::owner_calls& calls;

  // Of the memory that it is on; 0: none.
  [[nodiscard]] std::size_t covered(detail::list_call call, std::uint8_t kind,
                                    primitive type) const noexcept {
    if (packet_run::is_of(call)) return packet_run{kind, type}.elements() * extent;
    return call == detail::list_call::by_owner ? 0 : element_bytes(type, extent);
  }

  [[nodiscard]] std::size_t given(detail::list_call call, std::uint8_t kind,
                                  primitive type) const noexcept {
    using detail::list_call;
    switch (call) {
      case list_call::put:
        return packet_run{kind, type}.elements() * extent;
      case list_call::get:
      case list_call::accumulate_again:
        return 0;
      case list_call::fetch_op:
        return kind == static_cast<std::uint8_t>(atomic_op::no_op) ? 0
                                                                   : element_bytes(type, extent);
      case list_call::compare_swap:
        return 2 * element_bytes(type, extent);
      case list_call::by_owner:
        return calls.sizes[kind].request;
      default:
        return element_bytes(type, extent);
    }
  }
  [[nodiscard]] std::size_t taken(detail::list_call call, std::uint8_t kind,
                                  primitive type) const noexcept {
    using detail::list_call;
    switch (call) {
      case list_call::put:
      case list_call::accumulate:
      case list_call::accumulate_again:
        return 0;
      case list_call::by_owner:
        return calls.sizes[kind].result;
      default:
        return covered(call, kind, type);
    }
  }
  // How many elements of the base datatype it reaches into.
  [[nodiscard]] std::uint64_t elements(detail::list_call call, std::uint8_t kind,
                                       primitive type) const noexcept {
    if (packet_run::is_of(call)) return packet_run{kind, type}.elements();
    return type == primitive::opaque ? 1 : (size_of(type) + extent - 1) / extent;
  }
  [[nodiscard]] packet_kind of(detail::list_call, std::uint8_t kind, primitive) const noexcept;
};

// The body of its message. A packet that has no answer of its own (no cookie) is answered by the
// next that has one.
struct packet_request {
  std::uint32_t entries = 0;
  std::uint32_t results = 0;  // bytes
  std::uint32_t told = 0;     // so many without an answer came before, in all; it wraps
};

// The same where it is on a node's board, which has one word for it; each is answered.
struct noted_packet {
  std::uint32_t entries;
  std::uint32_t results;

  [[nodiscard]] constexpr std::uint64_t packed() const noexcept {
    return entries | std::uint64_t{results} << 32;
  }
  static constexpr packet_request unpacked(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32), 0};
  }
};

// Where an entry's word has what it says.
struct packet_word {
  detail::list_call call;
  std::uint8_t kind;                   // the number of an atomic_op, or of a call by owner
  std::uint32_t node_rank;             // of the owner
  std::uint64_t index;                 // of the element, or of the first that it begins at
  primitive type = primitive::opaque;  // of what: element_bytes; but see packet_run

  static constexpr int call_bits = 3, kind_bits = packet_run::kind_bits,
                       type_bits = packet_run::type_bits, rank_bits = 10;
  static constexpr int index_bits = 64 - call_bits - kind_bits - type_bits - rank_bits;
  // As one comparison of registers.
  static constexpr bool same_call(std::uint64_t a, std::uint64_t b) noexcept {
    return (a ^ b) >> (index_bits + rank_bits) == 0;
  }
  // Of an accumulate, what repeats its operand.
  static constexpr std::uint64_t again(std::uint64_t accumulate) noexcept {
    constexpr auto bits = [](detail::list_call c) {
      return static_cast<std::uint64_t>(c) << (64 - call_bits);
    };
    return accumulate ^ bits(detail::list_call::accumulate) ^
           bits(detail::list_call::accumulate_again);
  }
  static constexpr std::uint8_t number(atomic_op op) noexcept {
    return static_cast<std::uint8_t>(op);
  }
  // Nothing where it is none.
  [[nodiscard]] std::optional<atomic_op> op() const noexcept {
    return detail::numbered<atomic_op>(kind);
  }
  static constexpr std::uint64_t most_ranks = std::uint64_t{1} << rank_bits;
  static constexpr std::uint64_t most_elements = std::uint64_t{1} << index_bits;
  // In windows that attach a packet is for the process that performs it, and indices take the
  // rank's bits as well: they may be addresses.
  static constexpr std::uint64_t most_attached = std::uint64_t{1} << (index_bits + rank_bits);
  static constexpr std::uint64_t attached_index(std::uint64_t word) noexcept {
    return word & (most_attached - 1);
  }

  [[nodiscard]] constexpr std::uint64_t packed() const noexcept {
    return index | std::uint64_t{node_rank} << index_bits |
           static_cast<std::uint64_t>(type) << (index_bits + rank_bits) |
           std::uint64_t{kind} << (index_bits + rank_bits + type_bits) |
           static_cast<std::uint64_t>(call) << (64 - call_bits);
  }
  // Whatever the bits are: there may be no such call, kind and type.
  static constexpr packet_word unpacked(std::uint64_t word) noexcept {
    return {static_cast<detail::list_call>(word >> (64 - call_bits)),
            static_cast<std::uint8_t>(word >> (index_bits + rank_bits + type_bits) &
                                      ((1u << kind_bits) - 1)),
            static_cast<std::uint32_t>(word >> index_bits & (most_ranks - 1)),
            word & (most_elements - 1),
            static_cast<primitive>(word >> (index_bits + rank_bits) & ((1u << type_bits) - 1))};
  }
};
// All that is the same for entries of one call, kind and type.
struct packet_kind {
  std::uint64_t word = ~std::uint64_t{0};  // packed, of rank 0's element 0; at first, of no call
  std::size_t given = 0, taken = 0;
  std::size_t covered = 0;
  std::uint64_t elements = 0;
};
inline packet_kind packet_sizes::of(detail::list_call call, std::uint8_t kind,
                                    primitive type) const noexcept {
  return {packet_word{call, kind, 0, 0, type}.packed(), given(call, kind, type),
          taken(call, kind, type), covered(call, kind, type), elements(call, kind, type)};
}
static_assert(primitive_count <= 1 << packet_word::type_bits);
static_assert(atomic_op_count <= std::size_t{1} << packet_word::kind_bits);
static_assert(detail::owner_calls::most_kinds <= 1u << packet_word::kind_bits);
static_assert(detail::list_call_count <= std::size_t{1} << packet_word::call_bits);

// Longer elements, and runs, travel alone: their words are not worth saving.
inline constexpr std::size_t longest_in_packet = 1024;
inline constexpr std::size_t packet_bytes = transport::longest_payload;

}  // namespace oriel::win
