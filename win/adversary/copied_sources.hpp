// Buffers of operations that the adversary holds back.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "win/slots/operands.hpp"

namespace oriel::win {

// Copies of the sources of one operation, from when these are the program's again.
class copied_sources {
 public:
  // Returns false where there is no memory, or little of much that a layout spans is data.
  bool take(const detail::window_core&, const operands&) noexcept;
  // The copy of source number `which` in place of it; the source where there is none.
  [[nodiscard]] const void* in_place_of(const void* source, std::size_t which) const noexcept;

 private:
  std::array<std::unique_ptr<std::byte[]>, 2> copies_;
  std::ptrdiff_t first_ = 0;  // where the data begin, from a source's address on
};

// Fills the result with a pattern: the program must not read it before it is complete. Not where it
// overlaps a source, which some operations allow.
void poison_result(const detail::window_core&, const operands&) noexcept;

}  // namespace oriel::win
