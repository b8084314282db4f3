// Requests of kernels to the host, for memory that they do not reach: a ring in pinned memory,
// which any number of device threads fill and one agent of the host empties.
//
// A thread takes a ticket, which names a slot and a lap of the ring. The slot's turn states who may
// access it: the ticket's holder when it is free in that lap, the agent when it is filled, the
// holder again when it is answered. The agent serves in the order of tickets. It frees a slot at
// once where no answer is expected; else the holder frees it once it has read the answer. In a full
// ring holders wait for the slot of their ticket and nothing else, and no holder keeps a slot while
// it waits for another, so no order of threads can deadlock.
//
// Plain data, zeroed at first, alike for host and device compilers. The device's side is
// detail/device_ring.cuh, the host's transport/kernel_ring_server.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/atomic_op.hpp"
#include "oriel/device_marks.hpp"
#include "oriel/primitive.hpp"

namespace oriel::detail {

enum class kernel_action : std::uint8_t {
  put,
  get,
  accumulate,
  fetch_op,      // one element
  compare_swap,  // one element; source: expected, then desired
  put_notify,    // put, then adds 1 to `counter` of the target
  fence,         // what comes after is performed at each target after what came before
  quiet,         // what came before is complete at its target; always answered
};

// Sources and results of at most so many bytes travel in the slot.
inline constexpr std::size_t kernel_inline_bytes = 64;

struct kernel_request {
  kernel_action action = kernel_action::quiet;
  atomic_op op = atomic_op::no_op;
  primitive type = primitive::opaque;
  std::uint8_t answered = 0;        // the holder waits, and frees the slot
  std::int32_t target = 0;          // rank
  std::uint64_t first = 0;          // displacement in elements
  std::uint64_t n = 0;              // elements
  std::uint32_t element_bytes = 0;  // of one element
  std::uint32_t counter = 0;        // of put_notify
  const void* source = nullptr;     // memory that the host's copies reach; null in a slot: inline
  void* sink = nullptr;             // likewise, for results
};

struct alignas(128) kernel_slot {
  std::uint64_t turn = 0;
  kernel_request request;
  alignas(16) std::byte inlined[kernel_inline_bytes];
};
static_assert(sizeof(kernel_slot) == 128);

// Where in a slot the result of an atomic lies: beside its operands, at most 16 bytes. That of a
// get is at the start.
inline constexpr std::size_t kernel_reply_offset = 32;

enum class slot_state : std::uint8_t { free, filled, answered };

ORIEL_DEVICE constexpr std::uint64_t turn_of(std::uint64_t lap, slot_state state) noexcept {
  return 4 * lap + static_cast<std::uint64_t>(state);
}

struct kernel_ring {
  kernel_slot* slots = nullptr;  // 1 << log2_slots of them, pinned; null when there is no ring
  std::uint64_t* tickets =
      nullptr;  // the next one; best in the device's memory: the host never looks
  std::uint32_t log2_slots = 0;
};

}  // namespace oriel::detail
