// Phases of a hash map in the order of a stream: see hash_map.hpp.
#pragma once

#include <cstdint>
#include <utility>

#include "oriel/device_stream.hpp"
#include "oriel/hash_map/phase.hpp"

namespace oriel {

// A phase of kernels, as one rank has it open in the order of its stream: kernels that the stream
// gets while it is open belong to it, and the host has no operations. Opening and ending return at
// once, whatever the stream and the other ranks do. Requires: all ranks open and end the same
// phases; the map outlives it, and all that the stream was given in it.
template <class K, class V, slot_layout L, phase_kind P>
class [[nodiscard]] hash_map_stream_phase {
  using state = detail::hash_map_state<detail::hash_slot<K, V, L>>;

 public:
  hash_map_stream_phase(hash_map_stream_phase&& other) noexcept
      : state_(std::exchange(other.state_, nullptr)), on_(other.on_) {}
  hash_map_stream_phase& operator=(hash_map_stream_phase&&) = delete;
  ~hash_map_stream_phase() { static_cast<void>(end()); }

  // Returns the table for the kernels of the phase, as hash_map_phase::ref, and throws as that.
  [[nodiscard]] hash_map_ref<K, V, P, L> ref() const {
    if (state_ == nullptr) throw error(errc::rma_sync, "hash_map: ref() of a phase that has ended");
    return {state_->bases(P), static_cast<std::uint32_t>(state_->members().size()),
            state_->slots()};
  }
  // Ends the phase; does nothing the second time. What the stream gets later begins when the
  // streams of all ranks have come to its end, and sees all that was written in it. Returns what
  // window::signal_on returns at once. What fails later, as peer_failed for a rank that has died,
  // ends the next phase of the host.
  status end() noexcept {
    state* const open = std::exchange(state_, nullptr);
    return open == nullptr ? status{} : open->leave_on(on_);
  }

  // For hash_map.
  hash_map_stream_phase(state& s, device_stream on) : state_(&s), on_(on) { s.enter_on(P); }

 private:
  state* state_;  // null once it has ended
  device_stream on_;
};

}  // namespace oriel
