// What every thread of the atomics' kernel does: its share of one task's elements. Beside the
// kernel rather than in it, so that the host's tests run it too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kinds/atomic_task.hpp"
#include "oriel/detail/device_atomic.cuh"

namespace oriel::kinds {

template <atomic_op Op, class T>
inline constexpr bool in_kernels = kernels_apply(Op, primitive_of<T>());

// Elements first, first + stride, … of the task.
template <atomic_op Op, class T>
ORIEL_DEVICE void accumulate_share(const atomic_task& task, std::uint64_t first,
                                   std::uint64_t stride) noexcept {
  namespace device = oriel::detail::device;
  auto* const location = static_cast<T*>(task.location);
  const auto* const operands = static_cast<const T*>(task.operands);
  auto* const results = static_cast<T*>(task.results);
  for (std::uint64_t i = first; i < task.n; i += stride) {
    T operand{};
    if constexpr (Op != atomic_op::no_op) operand = device::load(operands + i);
    if (results == nullptr)
      device::apply_op<Op>(location + i, operand);
    else
      results[i] = device::fetch_op<Op>(location + i, operand);
  }
}

template <atomic_op Op>
ORIEL_DEVICE void accumulate_of(const atomic_task& task, std::uint64_t first,
                                std::uint64_t stride) noexcept {
  const auto as = [&]<class T>(std::type_identity<T>) {
    if constexpr (in_kernels<Op, T>) accumulate_share<Op, T>(task, first, stride);
  };
  switch (task.type) {
    case primitive::byte:
      return as(std::type_identity<std::byte>{});
    case primitive::boolean:
      return as(std::type_identity<bool>{});
    case primitive::int8:
      return as(std::type_identity<std::int8_t>{});
    case primitive::int16:
      return as(std::type_identity<std::int16_t>{});
    case primitive::int32:
      return as(std::type_identity<std::int32_t>{});
    case primitive::int64:
      return as(std::type_identity<std::int64_t>{});
    case primitive::uint8:
      return as(std::type_identity<std::uint8_t>{});
    case primitive::uint16:
      return as(std::type_identity<std::uint16_t>{});
    case primitive::uint32:
      return as(std::type_identity<std::uint32_t>{});
    case primitive::uint64:
      return as(std::type_identity<std::uint64_t>{});
    case primitive::float32:
      return as(std::type_identity<float>{});
    case primitive::float64:
      return as(std::type_identity<double>{});
    default:
      return;
  }
}

template <class Word>
ORIEL_DEVICE void swap_word(const atomic_task& task) noexcept {
  const auto* const operands = static_cast<const Word*>(task.operands);
  const Word before = oriel::detail::device::compare_swap(static_cast<Word*>(task.location),
                                                          operands[0], operands[1]);
  if (task.results != nullptr) *static_cast<Word*>(task.results) = before;
}

ORIEL_DEVICE inline bool may_begin(atomic_gate* gate) noexcept {
  namespace device = oriel::detail::device;
  if (gate == nullptr) return true;
  device::store(&gate->begun, 1u);
  device::fence();  // between `begun` and `withdrawn`
  if (device::load(&gate->withdrawn) == 0) return true;
  device::store(&gate->left_out, 1u);
  return false;
}

ORIEL_DEVICE inline void apply_share(const atomic_task& task, std::uint64_t first,
                                     std::uint64_t stride) noexcept {
  if (first >= task.n || !may_begin(task.gate)) return;
  if (task.action == atomic_action::compare_swap) {
    switch (task.width) {
      case 1:
        return swap_word<std::uint8_t>(task);
      case 2:
        return swap_word<std::uint16_t>(task);
      case 4:
        return swap_word<std::uint32_t>(task);
      default:
        return swap_word<std::uint64_t>(task);
    }
  }
  switch (task.op) {
    case atomic_op::replace:
      return accumulate_of<atomic_op::replace>(task, first, stride);
    case atomic_op::no_op:
      return accumulate_of<atomic_op::no_op>(task, first, stride);
    case atomic_op::sum:
      return accumulate_of<atomic_op::sum>(task, first, stride);
    case atomic_op::prod:
      return accumulate_of<atomic_op::prod>(task, first, stride);
    case atomic_op::min:
      return accumulate_of<atomic_op::min>(task, first, stride);
    case atomic_op::max:
      return accumulate_of<atomic_op::max>(task, first, stride);
    case atomic_op::land:
      return accumulate_of<atomic_op::land>(task, first, stride);
    case atomic_op::lor:
      return accumulate_of<atomic_op::lor>(task, first, stride);
    case atomic_op::lxor:
      return accumulate_of<atomic_op::lxor>(task, first, stride);
    case atomic_op::band:
      return accumulate_of<atomic_op::band>(task, first, stride);
    case atomic_op::bor:
      return accumulate_of<atomic_op::bor>(task, first, stride);
    case atomic_op::bxor:
      return accumulate_of<atomic_op::bxor>(task, first, stride);
    case atomic_op::minloc:
    case atomic_op::maxloc:
      return;  // pairs are not the kernels' (kernels_apply)
  }
}

}  // namespace oriel::kinds
