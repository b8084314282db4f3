// Notifications from other nodes have no answer of their own, nor have most full packets: their
// target keeps, for each origin, how many came and the first failure, until the origin asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oriel/errc.hpp"

namespace oriel::win {

// One thread at a time.
class received_notices {
 public:
  // From so many ranks. Throws std::bad_alloc.
  explicit received_notices(std::size_t origins) : of_(origins) {}

  // One has come from `origin`, and `outcome` is what became of it.
  void note(std::size_t origin, errc outcome) noexcept {
    of& o = of_[origin];
    ++o.came;
    if (o.failed == errc::success) o.failed = outcome;
  }
  // What became of those since the last call. `sent`: how many `origin` has sent in all, or fewer;
  // the count wraps. system: some were lost on their way.
  errc answer(std::size_t origin, std::uint32_t sent) noexcept {
    of& o = of_[origin];
    errc outcome = o.failed;
    if (static_cast<std::int32_t>(sent - o.came) > 0) {
      if (outcome == errc::success) outcome = errc::system;
      o.came = sent;
    }
    o.failed = errc::success;
    return outcome;
  }

 private:
  struct of {
    std::uint32_t came = 0;
    errc failed = errc::success;
  };
  std::vector<of> of_;
};

}  // namespace oriel::win
