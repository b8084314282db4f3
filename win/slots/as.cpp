// Atomics on elements of a primitive that the caller names, at any displacement: what interfaces
// over windows of bytes are made of.
#include "win/route/request_state.hpp"
#include "win/slots/atomic_access.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {
namespace {

// --- Any route

errc accumulate_as(window_core& core, atomic_op op, primitive type, rank r, disp i,
                   const void* operands, void* results, std::size_t n, detail::request_state* also,
                   call_site) noexcept {
  target at;
  if (n == 0) return errc::success;
  if (const errc e = find_target(core, r, i, covering(core, n * size_of(type)), at);
      e != errc::success)
    return e;
  count(core, kind_of(results), at.by->counted, n * size_of(type));
  return accumulate_at(core, at, 0, op, type, operands, results, n, tracker_of(also));
}

// The result is usable on return.
errc fetch_op_as(window_core& core, atomic_op op, primitive type, rank r, disp i,
                 const void* operand, void* result, call_site) noexcept {
  target at;
  if (const errc e = find_target(core, r, i, covering(core, size_of(type)), at); e != errc::success)
    return e;
  count(core, kind_of(result), at.by->counted, size_of(type));
  if (!at.by->tracked || result == nullptr)
    return accumulate_at(core, at, 0, op, type, operand, result, 1, nullptr);
  tracker one;
  const errc begun = accumulate_at(core, at, 0, op, type, operand, result, 1, &one);
  return wait_for(core, one, r, begun, "fetch_op");
}

errc refuse_opaque(window_core& core) noexcept {
  return core.fail(errc::type, "compare_swap takes an element of a primitive, not opaque bytes");
}

errc compare_swap_as(window_core& core, primitive type, rank r, disp i, const void* expected,
                     const void* desired, void* result, call_site) noexcept {
  if (type == primitive::opaque) return refuse_opaque(core);
  const std::size_t bytes = size_of(type);
  target at;
  if (const errc e = find_target(core, r, i, covering(core, bytes), at); e != errc::success)
    return e;
  count(core, operation_kind::compare_swap, at.by->counted, bytes);
  return compare_swap_at(core, at, bytes, expected, desired, result);
}

// --- Mapped everywhere

errc with_kernel(window_core& core, atomics::accumulate_fn kernel, atomic_op op, primitive type,
                 rank r, disp i, const void* operands, void* results, std::size_t n) noexcept {
  if (kernel == nullptr) [[unlikely]]
    return refuse_op(core, op, type);
  count(core, kind_of(results), counted_by(core, r), n * size_of(type));
  const errc e = accumulate_mapped_run(
      core, {r, mapped_at(core, r, i), op, type, static_cast<const std::byte*>(operands),
             static_cast<std::byte*>(results), n, kernel});
  return e == errc::success ? e : core.fail(e, "accumulate on mapped memory failed");
}

errc accumulate_all_mapped(window_core& core, atomic_op op, primitive type, rank r, disp i,
                           const void* operands, void* results, std::size_t n,
                           detail::request_state*, call_site) noexcept {
  if (n == 0) return errc::success;
  return with_kernel(core, kernel_for(core, op, type, r, n * size_of(type)), op, type, r, i,
                     operands, results, n);
}

errc fetch_op_all_mapped(window_core& core, atomic_op op, primitive type, rank r, disp i,
                         const void* operand, void* result, call_site) noexcept {
  return with_kernel(core, kernel_for(core, op, type), op, type, r, i, operand, result, 1);
}

errc compare_swap_all_mapped(window_core& core, primitive type, rank r, disp i,
                             const void* expected, const void* desired, void* result,
                             call_site) noexcept {
  const atomics::compare_swap_fn kernel = core.operations.swaps[static_cast<std::size_t>(type)];
  if (kernel == nullptr) [[unlikely]]
    return compare_swap_as(core, type, r, i, expected, desired, result, {});
  std::byte* const location = mapped_at(core, r, i);
  count(core, operation_kind::compare_swap, counted_by(core, r), size_of(type));
  const errc e = pass_gate(core, r, [&]() noexcept {
    return kernel(location, expected, desired, result, stripes_of(core), key_of(core, location));
  });
  return e == errc::success ? e : core.fail(e, "compare_swap on mapped memory failed");
}

}  // namespace

void fill_as_slots(operation_table& table, const window_core& core) {
  const bool mapped = core.agreed.plan.all_mapped && !core.agreed.watched;
  table.accumulate_as = mapped ? accumulate_all_mapped : accumulate_as;
  table.fetch_op_as = mapped ? fetch_op_all_mapped : fetch_op_as;
  table.compare_swap_as = mapped ? compare_swap_all_mapped : compare_swap_as;
  table.begin_compare_swap_as = table.compare_swap_as;
}

}  // namespace oriel::win
