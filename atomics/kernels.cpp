#include "atomics/kernels.hpp"

#include "atomics/kernel_groups.hpp"
#include "atomics/plain_loops.hpp"

namespace oriel::atomics {

namespace {

using table = std::array<const type_kernels*, primitive_count>;

const type_kernels& loops_of(primitive p) noexcept {
  static const table all = []() noexcept {
    static constexpr type_kernels none{};
    table rows;
    rows.fill(&none);
    for (const primitive each : all_primitives)
      for (const auto group :
           {small_integer_kernels, integer_kernels, real_kernels, complex_kernels, pair_kernels})
        if (const type_kernels* const found = group(each))
          rows[static_cast<std::size_t>(each)] = found;
    return rows;
  }();
  return *all[static_cast<std::size_t>(p)];
}

}  // namespace

const kernel_row& kernels_of(primitive p, kernel_mode mode) noexcept {
  static const bool wide = has_wide_vectors();
  const type_kernels& all = loops_of(p);
  if (mode == kernel_mode::atomic) return all.atomic;
  return wide ? all.plain_wide : all.plain;
}

accumulate_fn accumulate_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept {
  return kernels_of(p, mode)[static_cast<std::size_t>(op)];
}

blocks_fn blocks_kernel(atomic_op op, primitive p) noexcept {
  return loops_of(p).blocks[static_cast<std::size_t>(op)];
}

scattered_fn scattered_kernel(atomic_op op, primitive p) noexcept {
  return loops_of(p).scattered[static_cast<std::size_t>(op)];
}

}  // namespace oriel::atomics
