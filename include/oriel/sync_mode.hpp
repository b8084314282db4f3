// Arguments of synchronization calls: promises about one call (MPI-4.1 §12.5.5), the two kinds of
// lock, and how far a flush reaches.
#pragma once

#include <cstdint>

namespace oriel {

enum class lock_kind : std::uint8_t { shared, exclusive };

enum class flush_scope : std::uint8_t {
  local,   // sources reusable, results usable
  target,  // complete at the target
};

// A set of MPI_MODE_* promises about one call. Requires: they are true.
struct sync_mode {
  std::uint32_t bits = 0;

  constexpr bool has(sync_mode m) const noexcept { return (bits & m.bits) != 0; }
  friend constexpr sync_mode operator|(sync_mode a, sync_mode b) noexcept {
    return sync_mode{a.bits | b.bits};
  }
  friend constexpr bool operator==(sync_mode, sync_mode) noexcept = default;
};

inline constexpr sync_mode no_mode{};
inline constexpr sync_mode nocheck{1};  // lock: no conflicting lock is held; post, start: matched
inline constexpr sync_mode nostore{2};  // fence, post: no local stores since the last one
inline constexpr sync_mode noput{4};    // fence, post: nothing will be put here until the next one
inline constexpr sync_mode noprecede{8};   // fence: it ends no epoch with operations of this rank
inline constexpr sync_mode nosucceed{16};  // fence: it begins no epoch with operations of this rank

}  // namespace oriel
