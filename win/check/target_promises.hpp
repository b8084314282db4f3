// ORIEL_CHECK: what ranks have promised by MPI_MODE_ asserts about the memory of one rank, and who
// holds a lock of it. In shared memory, zeroed at first; under the lock of the rank's log
// (shadow_log.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "oriel/sync_mode.hpp"

namespace oriel::win {

// Where a call was made; the file is the end of a name.
struct kept_site {
  std::uint32_t line = 0;
  std::uint64_t offset = 0;  // where the line is call_site::in_code, of the code's file
  std::array<char, 42> file{};
};

struct target_promises {
  // Nothing puts to the rank's memory: in the phase that the fence of this number opens, or, where
  // it is not 0, in the exposure that is open.
  struct no_put {
    std::uint32_t number;
    kept_site at;
  };
  std::array<no_put, 2> after_fence;  // the present one and the next, by the number's parity
  no_put in_exposure;

  struct lock {
    std::int32_t holder;  // its rank + 1; 0: none
    lock_kind kind;
    bool nocheck;
    kept_site at;
  };
  static constexpr std::size_t most_locks = 16;  // further ones are not kept
  std::array<lock, most_locks> locks;
};

}  // namespace oriel::win
