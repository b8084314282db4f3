// accumulate, get_accumulate, fetch_op and compare_swap.
#include "win/route/request_state.hpp"
#include "win/slots/atomic_access.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {
namespace {

using detail::typed_operands;

// The base type is one primitive.
errc accumulate_dense(window_core& core, atomic_op op, rank r, disp i, const void* operands,
                      void* results, std::size_t n, tracker* also) noexcept {
  target at;
  if (n == 0) return errc::success;
  if (const errc e = find_target(core, r, i, n, at); e != errc::success) return e;
  count(core, kind_of(results), at.by->counted, n * core.agreed.extent);
  return accumulate_at(core, at, 0, op, core.agreed.element, operands, results, n, also);
}

// A derived base type: element by element of its typemap.
errc accumulate_sparse(window_core& core, atomic_op op, rank r, disp i, const void* operands,
                       void* results, std::size_t n, tracker* also) noexcept {
  const shape each{core.agreed.base, n};
  typed_operands x;
  x.origin = operands;
  x.result = results;
  x.origin_shape = x.target_shape = &each;
  if (results != nullptr) x.result_shape = &each;
  return accumulate_layout(core, op, r, i, x, also);
}

errc accumulate_typed(window_core& core, atomic_op op, rank r, disp i, const typed_operands& x,
                      detail::request_state* also, call_site) noexcept {
  return accumulate_layout(core, op, r, i, x, tracker_of(also));
}

template <auto AccumulateN>
errc accumulate_several(window_core& core, atomic_op op, rank r, disp i, const void* operands,
                        void* results, std::size_t n, detail::request_state* also,
                        call_site) noexcept {
  return AccumulateN(core, op, r, i, operands, results, n, tracker_of(also));
}

template <auto AccumulateN>
errc accumulate_one(window_core& core, atomic_op op, rank r, disp i, const void* operand,
                    call_site) noexcept {
  return AccumulateN(core, op, r, i, operand, nullptr, 1, nullptr);
}

// The result is usable on return.
template <auto AccumulateN>
errc fetch_one(window_core& core, atomic_op op, rank r, disp i, const void* operand, void* result,
               call_site) noexcept {
  if (!core.routes.to(r).tracked) return AccumulateN(core, op, r, i, operand, result, 1, nullptr);
  tracker one;
  const errc begun = AccumulateN(core, op, r, i, operand, result, 1, &one);
  return wait_for(core, one, r, begun, "fetch_op");
}

errc compare_swap(window_core& core, rank r, disp i, const void* expected, const void* desired,
                  void* result, call_site) noexcept {
  if (!core.agreed.base.contiguous())
    return core.fail(errc::type,
                     "compare_swap takes dense elements, not " + core.agreed.base.describe());
  target at;
  if (const errc e = find_target(core, r, i, 1, at); e != errc::success) return e;
  count(core, operation_kind::compare_swap, at.by->counted, core.agreed.extent);
  return compare_swap_at(core, at, core.agreed.extent, expected, desired, result);
}

}  // namespace

// CPU atomics are sequentially consistent and issued in program order, so ordered_replace and
// ordered_accumulate (MPI-4.1 §12.7.2) hold on every route without more.
void fill_atomic_slots(operation_table& table, const window_core& core) {
  table.accumulate_typed = accumulate_typed;
  table.compare_swap = compare_swap;
  if (core.agreed.element != primitive::opaque) {
    table.accumulate_n = accumulate_several<accumulate_dense>;
    table.accumulate = accumulate_one<accumulate_dense>;
    table.fetch_op = fetch_one<accumulate_dense>;
  } else {
    table.accumulate_n = accumulate_several<accumulate_sparse>;
    table.accumulate = accumulate_one<accumulate_sparse>;
    table.fetch_op = fetch_one<accumulate_sparse>;
  }
}

}  // namespace oriel::win
