// Something long, done a piece at a time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "oriel/errc.hpp"

namespace oriel::transport {

// Calls `step(done, piece)`, which gives an errc, for every piece of at most `most`, until one
// fails.
template <class Step>
errc in_pieces(std::size_t whole, std::size_t most, Step step) noexcept {
  for (std::size_t done = 0; done < whole;) {
    const std::size_t piece = std::min(whole - done, most);
    if (const errc e = step(done, piece); e != errc::success) return e;
    done += piece;
  }
  return errc::success;
}

}  // namespace oriel::transport
