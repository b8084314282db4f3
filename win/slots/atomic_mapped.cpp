// Atomics on one element of a type that one instruction serves, in windows that are mapped
// everywhere: the target's address, a jump on the operation, the instruction.
#include <cstring>

#include "oriel/detail/cpu_atomic.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {
namespace {

template <class T>
T* element_at(const window_core& core, rank r, disp i) noexcept {
  return reinterpret_cast<T*>(core.view.base + core.view.segments[r.value].offset) + i.value;
}

template <class T, std::size_t Op = 0>
T apply(atomic_op op, T* target, T operand) noexcept {
  if constexpr (Op < all_atomic_ops.size()) {
    constexpr atomic_op this_op = all_atomic_ops[Op];
    if constexpr (defined(this_op, primitive_of<T>())) {
      if (op == this_op) return detail::cpu_fetch_op<this_op>(target, operand);
    }
    return apply<T, Op + 1>(op, target, operand);
  } else {
    return T{};
  }
}

errc refuse(window_core& core, atomic_op op) noexcept {
  return core.fail(errc::op, std::string(name(op)) +
                                 (core.agreed.ops.has(op) ? " is not defined on "
                                                          : " is not in the op set, for ") +
                                 std::string(name(core.agreed.element)) + " elements");
}

template <class T>
errc fetch_op(window_core& core, atomic_op op, rank r, disp i, const void* operand, void* result,
              call_site) noexcept {
  if (!defined(op, primitive_of<T>()) || !core.agreed.ops.has(op)) return refuse(core, op);
  T value{};
  if (op != atomic_op::no_op) std::memcpy(&value, operand, sizeof value);
  const T before = apply<T>(op, element_at<T>(core, r, i), value);
  std::memcpy(result, &before, sizeof before);
  return errc::success;
}

template <class T>
errc accumulate(window_core& core, atomic_op op, rank r, disp i, const void* operand,
                call_site at) noexcept {
  T before;
  return fetch_op<T>(core, op, r, i, operand, &before, at);
}

template <class T>
errc compare_swap(window_core& core, rank r, disp i, const void* expected, const void* desired,
                  void* result, call_site) noexcept {
  T from, to;
  std::memcpy(&from, expected, sizeof from);
  std::memcpy(&to, desired, sizeof to);
  const T before = detail::cpu_compare_swap(element_at<T>(core, r, i), from, to);
  std::memcpy(result, &before, sizeof before);
  return errc::success;
}

}  // namespace

void fill_mapped_atomic_slots(operation_table& table, const window_core& core) {
  if (!core.agreed.plan.all_mapped || core.agreed.checked ||
      core.agreed.element == primitive::opaque ||
      core.operations.arithmetic == atomics::kernel_mode::plain)
    return;
  with_type(core.agreed.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (detail::cpu_atomic_inline<T>) {
      table.accumulate = accumulate<T>;
      table.fetch_op = fetch_op<T>;
      table.compare_swap = compare_swap<T>;
    }
  });
}

}  // namespace oriel::win
