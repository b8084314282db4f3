// Arguments of synchronization calls: promises about one call (MPI-4.1 §12.5.5), the two kinds of
// lock, and how far a flush reaches.
#pragma once

#include <cstdint>

namespace oriel {

// shared, exclusive.
enum class lock_kind : std::uint8_t {
#define ORIEL_LOCK_KIND(number, name, c_name) name = (number),
#include "oriel/enumerations/lock_kind.def"
};

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
// nocheck, nostore, …, and what each promises: oriel/enumerations/sync_mode.def.
#define ORIEL_SYNC_MODE(bit, name, c_name) inline constexpr sync_mode name{1u << (bit)};
#include "oriel/enumerations/sync_mode.def"
// All of them.
inline constexpr sync_mode every_mode{0u
#define ORIEL_SYNC_MODE(bit, name, c_name) | 1u << (bit)
#include "oriel/enumerations/sync_mode.def"
};

}  // namespace oriel
