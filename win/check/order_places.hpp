// ORIEL_CHECK: where a window's synchronization leaves what comes before it (session/team/
// vector_clock.hpp), in the control block of each node. Ranks of other nodes reach it by requests
// (far_checks.hpp).
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
inline std::size_t fence_place(const detail::window_core& core) noexcept {
  return core.epochs.fences.load(std::memory_order_relaxed) % places_of_fences;
}
// The first of those on the node of a rank that are the rank's.
inline std::size_t place_of(const detail::window_core& core, rank r, order_place which) noexcept {
  return places_of_fences + core.node_rank(r) * places_of_rank + static_cast<std::size_t>(which);
}

// Whether an access in the window's log comes before what this process does next.
inline auto order_of(const detail::window_core& core) {
  return [&core, &clock = clock_of(core)](const shadow_access& before) noexcept {
    return before.complete.time != 0 &&
           clock.follows(core.group->world_rank(before.origin), before.complete);
  };
}

// Whether what synchronizes with the window is known to have told here: not where ranks of other
// nodes cannot, or kernels may.
bool hears_of_all(const detail::window_core&) noexcept;

// Which of several places are meant that follow one another.
using which_places = std::uint32_t;

constexpr which_places all_atomic_places = (which_places{1} << atomic_places) - 1;
// Of those for atomic operations, of the elements that have the bytes.
constexpr which_places places_of_bytes(std::uint64_t low, std::uint64_t high) noexcept {
  constexpr std::uint64_t bytes_of_place = 8;
  which_places all = 0;
  const std::uint64_t first = low / bytes_of_place, last = high / bytes_of_place;
  for (std::uint64_t i = first; i <= last && i < first + atomic_places; ++i)
    all |= which_places{1} << i % atomic_places;
  return all;
}

void learn_from(detail::window_core&, rank, order_place, which_places = 1) noexcept;
void tell_at(detail::window_core&, rank, order_place, which_places = 1) noexcept;
// The same of each rank.
void learn_from_all(detail::window_core&, order_place, which_places = 1) noexcept;
void tell_at_all(detail::window_core&, order_place) noexcept;

// The operations of this rank at `r`, or at all ranks, are complete there; only those that read,
// where `scope` is local. Their buffers are the program's again.
void complete_operations(detail::window_core&, rank r, flush_scope) noexcept;

// The slot of the table around the window's own flush.
errc ordered_flush(detail::window_core&, rank r, flush_scope, call_site) noexcept;

}  // namespace oriel::win
