// ORIEL_CHECK: where a window's synchronization leaves what comes before it (session/team/
// vector_clock.hpp), in the control block of each node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "session/team/vector_clock.hpp"
#include "win/route/peer_words.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

enum class order_place : std::uint8_t {
  post,
  complete,
  exclusive_unlock,
  any_unlock,
  notification,
  atomic,  // the first of atomic_places, by the address of the element
};
constexpr std::size_t atomic_places = 8;
// A rank's, and besides two of fences: of the present one and of the next.
constexpr std::size_t places_of_rank =
    static_cast<std::size_t>(order_place::atomic) + atomic_places;
constexpr std::size_t places_of_fences = 2;

constexpr std::size_t order_bytes(std::size_t node_ranks, std::size_t width) noexcept {
  return (places_of_fences + node_ranks * places_of_rank) * width *
         sizeof(sessions::vector_clock::shared_time);
}

inline sessions::vector_clock& clock_of(const detail::window_core& core) {
  return core.group->session().extension<sessions::vector_clock>();
}

// The i-th of the window's places on this node. None where times are not carried.
inline std::span<sessions::vector_clock::shared_time> place_at(const detail::window_core& core,
                                                               std::size_t i) noexcept {
  using shared_time = sessions::vector_clock::shared_time;
  const std::size_t width = sessions::vector_clock::width_for(core.group->session().job().size());
  return {core.shared<shared_time>(core.memory.layout.order, i * width), width};
}
inline auto fence_place(const detail::window_core& core) noexcept {
  return place_at(core, core.epochs.fences.load(std::memory_order_relaxed) % places_of_fences);
}
// Of a rank of this node.
inline auto place_of(const detail::window_core& core, rank r, order_place which,
                     std::size_t i = 0) noexcept {
  return place_at(core, places_of_fences + core.node_rank(r) * places_of_rank +
                            static_cast<std::size_t>(which) + i);
}

// Whether an access in the window's log comes before what this process does next.
inline auto order_of(const detail::window_core& core) {
  return [&core, &clock = clock_of(core)](const shadow_access& before) noexcept {
    return before.complete.time != 0 &&
           clock.follows(core.group->world_rank(before.origin), before.complete);
  };
}

// What ranks of other nodes have passed on is not known here, so all counts as known.
inline void learn_from(detail::window_core& core, rank r, order_place which,
                       std::size_t i = 0) noexcept {
  if (core.routes.remote != nullptr)
    clock_of(core).learn_everything();
  else
    clock_of(core).learn(place_of(core, r, which, i));
}
inline void tell_at(detail::window_core& core, rank r, order_place which,
                    std::size_t i = 0) noexcept {
  if (log_of(core, r) != nullptr) clock_of(core).tell(place_of(core, r, which, i));
}

// The operations of this rank at `r`, or at all ranks, are complete there; only those that read,
// where `scope` is local. Their buffers are the program's again.
void complete_operations(detail::window_core&, rank r, flush_scope) noexcept;

// The slot of the table around the window's own flush.
errc ordered_flush(detail::window_core&, rank r, flush_scope, call_site) noexcept;

}  // namespace oriel::win
