// Reductions of teams. Each PE reduces a part of the elements and gets the other parts from those
// that have reduced them; few elements take one collective of the team's.
#pragma once

#include <complex>
#include <cstddef>

#include "oriel/detail/combine.hpp"
#include "shmem/teams.hpp"

namespace oriel::shmem {

// What reductions know of elements: their size, and into[i] = into[i] op value[i].
struct reduced_elements {
  std::size_t bytes;
  void (*combine)(void* into, const void* values, std::size_t n) noexcept;
};

// C's complex numbers are C++'s in memory.
template <class T>
struct element {
  using type = T;
};
template <>
struct element<oriel_shmem_complexf> {
  using type = std::complex<float>;
};
template <>
struct element<oriel_shmem_complexd> {
  using type = std::complex<double>;
};

template <atomic_op Op, class T>
void combine_elements(void* into, const void* values, std::size_t n) noexcept {
  auto* const results = static_cast<T*>(into);
  const auto* const operands = static_cast<const T*>(values);
  for (std::size_t i = 0; i < n; ++i) results[i] = detail::combine<Op>(results[i], operands[i]);
}
template <atomic_op Op, class T>
inline constexpr reduced_elements reduced_by{sizeof(T), combine_elements<Op, T>};

// `n` elements of each PE, in the order of the PEs. Ends the job where it cannot be carried out.
void reduce(const char* call, shmem_team_t, void* dest, const void* source, std::size_t n,
            const reduced_elements&) noexcept;

}  // namespace oriel::shmem
