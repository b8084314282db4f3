// Atomics on one element of a type that one instruction serves, in windows that are mapped
// everywhere: the target's address, a jump on the operation, the instruction.
#include <cstring>

#include "oriel/detail/cpu_atomic.hpp"
#include "win/serve/mapped_atomics.hpp"
#include "win/slots/atomic_access.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"

namespace oriel::win {
namespace {

template <class T, std::size_t Op = 0>
[[gnu::always_inline]] inline T apply(atomic_op op, T* target, T operand) noexcept {
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

// Performs `step` at once; false where it must be begun in turn. Functions that call no other here
// save no registers, whose stores an atomic instruction would wait for.
template <bool Gated, class Step>
[[gnu::always_inline]] inline bool past(const window_core& core, rank r, Step step) noexcept {
  if constexpr (Gated)
    return detail::pass_at_once(core.view.gates, static_cast<std::uint32_t>(r.value), step);
  step();
  return true;
}

errc counted_in_turn(window_core& core, errc e, operation_kind k, rank r,
                     std::size_t bytes) noexcept {
  return e == errc::success ? count_word_slowly(core, k, r, bytes)
                            : core.fail(e, "an atomic operation on mapped memory failed");
}

// `result` may be null.
template <class T>
[[gnu::noinline]] errc fetch_in_turn(window_core& core, atomic_op op, rank r, disp i,
                                     const void* operand, void* result) noexcept {
  T value{};
  if (op != atomic_op::no_op) std::memcpy(&value, operand, sizeof value);
  const errc e = pass_gate(core, r, [&]() noexcept {
    const T before = apply<T>(op, mapped_element<T>(core, r, i), value);
    if (result != nullptr) std::memcpy(result, &before, sizeof before);
    return errc::success;
  });
  return counted_in_turn(core, e, kind_of(result), r, sizeof value);
}

template <class T>
[[gnu::noinline]] errc swap_in_turn(window_core& core, rank r, disp i, const void* expected,
                                    const void* desired, void* result) noexcept {
  T from, to;
  std::memcpy(&from, expected, sizeof from);
  std::memcpy(&to, desired, sizeof to);
  const errc e = pass_gate(core, r, [&]() noexcept {
    const T before = detail::cpu_compare_swap(mapped_element<T>(core, r, i), from, to);
    std::memcpy(result, &before, sizeof before);
    return errc::success;
  });
  return counted_in_turn(core, e, operation_kind::compare_swap, r, sizeof from);
}

errc refuse(window_core& core, atomic_op op) noexcept {
  return core.fail(errc::op, std::string(name(op)) +
                                 (core.agreed.ops.has(op) ? " is not defined on "
                                                          : " is not in the op set, for ") +
                                 std::string(name(core.agreed.element)) + " elements");
}

// `Gated`: accumulates of the window may be long.
template <class T, bool Gated, counting How>
errc fetch_op(window_core& core, atomic_op op, rank r, disp i, const void* operand, void* result,
              call_site) noexcept {
  if (!defined(op, primitive_of<T>()) || !core.agreed.ops.has(op)) return refuse(core, op);
  T value{};
  if (op != atomic_op::no_op) std::memcpy(&value, operand, sizeof value);
  T before{};
  T* const there = mapped_element<T>(core, r, i);
  if (!past<Gated>(core, r, [&]() noexcept { before = apply<T>(op, there, value); })) [[unlikely]]
    return fetch_in_turn<T>(core, op, r, i, operand, result);
  return count_word<T, How>(core, operation_kind::fetch_op, r,
                            [&] { std::memcpy(result, &before, sizeof before); });
}

template <class T, bool Gated, counting How>
errc accumulate(window_core& core, atomic_op op, rank r, disp i, const void* operand,
                call_site) noexcept {
  if (!defined(op, primitive_of<T>()) || !core.agreed.ops.has(op)) return refuse(core, op);
  T value{};
  if (op != atomic_op::no_op) std::memcpy(&value, operand, sizeof value);
  T* const there = mapped_element<T>(core, r, i);
  if (!past<Gated>(core, r, [&]() noexcept { apply<T>(op, there, value); })) [[unlikely]]
    return fetch_in_turn<T>(core, op, r, i, operand, nullptr);
  return count_word<T, How>(core, operation_kind::accumulate, r);
}

template <class T, bool Gated, counting How>
errc compare_swap(window_core& core, rank r, disp i, const void* expected, const void* desired,
                  void* result, call_site) noexcept {
  T from, to;
  std::memcpy(&from, expected, sizeof from);
  std::memcpy(&to, desired, sizeof to);
  T before{};
  T* const there = mapped_element<T>(core, r, i);
  if (!past<Gated>(core, r, [&]() noexcept { before = detail::cpu_compare_swap(there, from, to); }))
      [[unlikely]]
    return swap_in_turn<T>(core, r, i, expected, desired, result);
  return count_word<T, How>(core, operation_kind::compare_swap, r,
                            [&] { std::memcpy(result, &before, sizeof before); });
}

template <class T, bool Gated>
void fill(operation_table& table, counting counted) noexcept {
  with_counting(counted, [&](auto how) {
    table.accumulate = accumulate<T, Gated, how()>;
    table.fetch_op = fetch_op<T, Gated, how()>;
    table.compare_swap = compare_swap<T, Gated, how()>;
  });
}

}  // namespace

void fill_mapped_atomic_slots(operation_table& table, const window_core& core) {
  if (!core.agreed.plan.all_mapped || core.agreed.watched ||
      core.agreed.element == primitive::opaque ||
      core.operations.arithmetic == atomics::kernel_mode::plain)
    return;
  with_type(core.agreed.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (detail::cpu_atomic_inline<T>) {
      if (core.operations.gates)
        fill<T, true>(table, core.agreed.counted);
      else
        fill<T, false>(table, core.agreed.counted);
    }
  });
}

}  // namespace oriel::win
