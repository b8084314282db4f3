// The operations of a list that are on memory which this process maps, where others between them
// are not: collected, and performed in blocks whose lines were fetched while the last was.
#pragma once

#include <array>
#include <cstddef>

#include "oriel/detail/element_list.hpp"
#include "win/serve/scattered_elements.hpp"

namespace oriel::win {

class mapped_batch {
 public:
  mapped_batch(const scattered_call& call, const detail::element_list& list,
               std::size_t extent) noexcept
      : call_(call), list_(list), extent_(extent) {}

  // Operation `j` of the list, on the element at `there`. It is complete after finish().
  errc add(std::size_t j, std::byte* there) noexcept;
  errc finish() noexcept;

 private:
  // Longer elements are performed one by one.
  static constexpr std::size_t longest = 16;
  using operands = std::array<std::byte, elements_at_once * longest>;
  struct half {
    std::size_t n = 0;
    std::array<std::byte*, elements_at_once> targets;
    std::array<rank, elements_at_once> owners;
    std::array<std::size_t, elements_at_once> positions;
    operands given, desired, results;
  };
  errc perform(half&) noexcept;

  const scattered_call& call_;
  const detail::element_list& list_;
  std::size_t extent_;
  std::array<half, 2> halves_;
  std::size_t filling_ = 0;
};

}  // namespace oriel::win
