// The two coordinates of every one-sided operation, as types that cannot be exchanged.
#pragma once

#include <compare>
#include <cstdint>

#include "oriel/device_marks.hpp"

namespace oriel {

// A process, numbered from 0 within the team of the object that it is passed to.
struct rank {
  std::int32_t value = 0;
  constexpr rank() noexcept = default;
  ORIEL_DEVICE constexpr explicit rank(std::int32_t v) noexcept : value(v) {}
  // Written out: nvcc leaves defaulted ones undefined, and kernels compare too.
  ORIEL_DEVICE friend constexpr bool operator==(rank a, rank b) noexcept {
    return a.value == b.value;
  }
  ORIEL_DEVICE friend constexpr auto operator<=>(rank a, rank b) noexcept {
    return a.value <=> b.value;
  }
};

// Any rank: what MPI_PROC_NULL is to MPI_Win_shared_query (MPI-4.1 §12.2.3).
inline constexpr rank any_rank{-1};

// A displacement within one rank's memory, counted in elements of the window's base datatype. Named
// as in MPI's target_disp; "index" would collide with POSIX's function of that name.
struct disp {
  std::uint64_t value = 0;
  constexpr disp() noexcept = default;
  ORIEL_DEVICE constexpr explicit disp(std::uint64_t v) noexcept : value(v) {}
  ORIEL_DEVICE friend constexpr bool operator==(disp a, disp b) noexcept {
    return a.value == b.value;
  }
  ORIEL_DEVICE friend constexpr auto operator<=>(disp a, disp b) noexcept {
    return a.value <=> b.value;
  }
  ORIEL_DEVICE friend constexpr disp operator+(disp i, std::uint64_t n) noexcept {
    return disp{i.value + n};
  }
};

}  // namespace oriel
