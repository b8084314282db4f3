// The device's side of the ring (detail/kernel_ring.hpp): one thread submits one request.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/detail/device_view.hpp"
#include "oriel/detail/device_word.cuh"

namespace oriel::detail::device {

// A request, with what travels beside it. Without a payload, the request's `source` has the
// address; without a reply, its `sink`, or there is none.
struct ring_call {
  kernel_request request;
  const void* payload = nullptr;
  std::size_t payload_bytes = 0;
  void* reply = nullptr;
  std::size_t reply_bytes = 0;
};

ORIEL_DEVICE inline word64* as_word(std::uint64_t* at) noexcept {
  return reinterpret_cast<word64*>(at);
}
ORIEL_DEVICE inline const word64* as_word(const std::uint64_t* at) noexcept {
  return reinterpret_cast<const word64*>(at);
}
ORIEL_DEVICE inline bool is_closed(const device_state* state) noexcept {
  return load_relaxed(reinterpret_cast<const word32*>(&state->closed)) != 0;
}

// One piece after the other: registers that a faster copy takes are taken from every kernel that
// may submit a request, and with them threads that could run.
template <class Piece>
ORIEL_DEVICE inline void copy_singly(void* to, const void* from, std::size_t bytes) noexcept {
#if defined(ORIEL_DEVICE_CUDA) || defined(ORIEL_DEVICE_HIP)
#pragma unroll 1
#endif
  for (std::size_t i = 0; i < bytes / sizeof(Piece); ++i)
    static_cast<Piece*>(to)[i] = static_cast<const Piece*>(from)[i];
}
ORIEL_DEVICE inline void copy_inlined(void* to, const void* from, std::size_t bytes) noexcept {
  const auto unaligned =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  if (unaligned % sizeof(word64) == 0)
    copy_singly<word64>(to, from, bytes);
  else
    copy_singly<word_t<1>>(to, from, bytes);
}
ORIEL_DEVICE inline void fill(kernel_slot& slot, const ring_call& call) noexcept {
  slot.request = call.request;
  copy_inlined(slot.inlined, call.payload, call.payload_bytes);
}
ORIEL_DEVICE inline void read_reply(const kernel_slot& slot, const ring_call& call) noexcept {
  const std::size_t offset = call.request.action == kernel_action::get ? 0 : kernel_reply_offset;
  copy_inlined(call.reply, slot.inlined + offset, call.reply_bytes);
}

// How often a waiting thread polls before it tests whether the window was closed.
inline constexpr unsigned looks_between_checks = 64;

// Blocks until the request is in the ring and, if it is answered, its answer in the reply. Returns
// false where the window was closed first; the reply is then unchanged.
//
// One loop with every step in it, rather than a wait after a wait: threads that share a program
// counter take tickets together, and one that waits for its slot must not keep the others from
// freeing theirs. Never inlined: it takes microseconds anyway, and the direct routes beside it want
// the registers.
[[gnu::noinline]] ORIEL_DEVICE inline bool submit(const kernel_ring& ring,
                                                  const device_state* state,
                                                  const ring_call& call) noexcept {
  const std::uint64_t ticket = fetch_add(as_word(ring.tickets), 1);
  const std::uint64_t lap = ticket >> ring.log2_slots;
  kernel_slot& slot = ring.slots[ticket - (lap << ring.log2_slots)];
  bool filled = false, submitted = false;
  int done = 0;
  for (unsigned looks = 1; done == 0; ++looks) {
    const std::uint64_t turn = load_acquire(as_word(&slot.turn));
    if (!filled && turn == turn_of(lap, slot_state::free)) {
      fill(slot, call);
      store_release(as_word(&slot.turn), turn_of(lap, slot_state::filled));
      filled = true;
      submitted = call.request.answered == 0;
    } else if (filled && turn == turn_of(lap, slot_state::answered)) {
      read_reply(slot, call);
      store_release(as_word(&slot.turn), turn_of(lap + 1, slot_state::free));
      submitted = true;
    } else {
      if (looks % looks_between_checks == 0 && is_closed(state)) break;
      pause();
    }
    done = hidden(submitted ? 1 : 0);
  }
  return submitted;
}

}  // namespace oriel::detail::device
