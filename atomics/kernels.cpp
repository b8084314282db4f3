#include "atomics/kernels.hpp"

#include "atomics/kernel_groups.hpp"

namespace oriel::atomics {

namespace {

using table = std::array<const kernel_row*, primitive_count>;

table table_of(kernel_mode mode) noexcept {
  static constexpr kernel_row none{};
  table rows;
  rows.fill(&none);
  for (const primitive p : all_primitives)
    for (const auto group :
         {small_integer_kernels, integer_kernels, real_kernels, complex_kernels, pair_kernels})
      if (const kernel_row* const found = group(p, mode)) rows[static_cast<std::size_t>(p)] = found;
  return rows;
}

}  // namespace

const kernel_row& kernels_of(primitive p, kernel_mode mode) noexcept {
  static const table atomic = table_of(kernel_mode::atomic), plain = table_of(kernel_mode::plain);
  return *(mode == kernel_mode::atomic ? atomic : plain)[static_cast<std::size_t>(p)];
}

accumulate_fn accumulate_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept {
  return kernels_of(p, mode)[static_cast<std::size_t>(op)];
}

}  // namespace oriel::atomics
