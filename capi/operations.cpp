#include "capi/enumerators.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;
using oriel::atomic_op;
using oriel::primitive;
using oriel::rank;
using oriel::shape;

extern "C" {

int oriel_window_put(oriel_window* window, int target, int64_t disp, const void* values, size_t n) {
  return capi::code_of(
      window->any, window->any.put(rank{target}, capi::disp_at(disp), values, n, capi::c_caller));
}

int oriel_window_get(oriel_window* window, int target, int64_t disp, void* values, size_t n) {
  return capi::code_of(
      window->any, window->any.get(rank{target}, capi::disp_at(disp), values, n, capi::c_caller));
}

int oriel_window_accumulate(oriel_window* window, int op, int target, int64_t disp,
                            const void* operands, size_t n) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return capi::code_of(window->any, window->any.accumulate(o, rank{target}, capi::disp_at(disp),
                                                             operands, n, capi::c_caller));
  });
}

int oriel_window_get_accumulate(oriel_window* window, int op, int target, int64_t disp,
                                const void* operands, void* results, size_t n) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return capi::code_of(window->any,
                         window->any.get_accumulate(o, rank{target}, capi::disp_at(disp), operands,
                                                    results, n, capi::c_caller));
  });
}

int oriel_window_fetch_op(oriel_window* window, int op, int target, int64_t disp,
                          const void* operand, void* result) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return capi::code_of(window->any, window->any.fetch_op(o, rank{target}, capi::disp_at(disp),
                                                           operand, result, capi::c_caller));
  });
}

int oriel_window_compare_swap(oriel_window* window, int target, int64_t disp, const void* expected,
                              const void* desired, void* result) {
  return capi::code_of(
      window->any, window->any.compare_swap(rank{target}, capi::disp_at(disp), expected, desired,
                                            result, capi::c_caller));
}

int oriel_window_put_typed(oriel_window* window, int target, int64_t disp, const void* origin,
                           size_t origin_count, const oriel_datatype* origin_type,
                           size_t target_count, const oriel_datatype* target_type) {
  return capi::code_of(window->any,
                       window->any.put(rank{target}, capi::disp_at(disp), origin,
                                       shape{origin_type->type, origin_count},
                                       shape{target_type->type, target_count}, capi::c_caller));
}

int oriel_window_get_typed(oriel_window* window, int target, int64_t disp, void* result,
                           size_t result_count, const oriel_datatype* result_type,
                           size_t target_count, const oriel_datatype* target_type) {
  return capi::code_of(window->any,
                       window->any.get(rank{target}, capi::disp_at(disp), result,
                                       shape{result_type->type, result_count},
                                       shape{target_type->type, target_count}, capi::c_caller));
}

int oriel_window_accumulate_typed(oriel_window* window, int op, int target, int64_t disp,
                                  const void* origin, size_t origin_count,
                                  const oriel_datatype* origin_type, size_t target_count,
                                  const oriel_datatype* target_type) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return capi::code_of(window->any, window->any.accumulate(
                                          o, rank{target}, capi::disp_at(disp), origin,
                                          shape{origin_type->type, origin_count},
                                          shape{target_type->type, target_count}, capi::c_caller));
  });
}

int oriel_window_get_accumulate_typed(oriel_window* window, int op, int target, int64_t disp,
                                      const void* origin, size_t origin_count,
                                      const oriel_datatype* origin_type, void* result,
                                      size_t result_count, const oriel_datatype* result_type,
                                      size_t target_count, const oriel_datatype* target_type) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return capi::code_of(window->any, window->any.get_accumulate(
                                          o, rank{target}, capi::disp_at(disp), origin,
                                          shape{origin_type->type, origin_count}, result,
                                          shape{result_type->type, result_count},
                                          shape{target_type->type, target_count}, capi::c_caller));
  });
}

int oriel_window_accumulate_as(oriel_window* window, int op, int type, int target, int64_t disp,
                               const void* operands, size_t n) {
  return capi::with_op_on(op, type, [&](atomic_op o, primitive p) {
    return capi::code_of(
        window->any, window->any.accumulate(o, p, rank{target}, capi::disp_at(disp), operands, n,
                                            capi::c_caller));
  });
}

int oriel_window_get_accumulate_as(oriel_window* window, int op, int type, int target, int64_t disp,
                                   const void* operands, void* results, size_t n) {
  return capi::with_op_on(op, type, [&](atomic_op o, primitive p) {
    return capi::code_of(
        window->any, window->any.get_accumulate(o, p, rank{target}, capi::disp_at(disp), operands,
                                                results, n, capi::c_caller));
  });
}

int oriel_window_fetch_op_as(oriel_window* window, int op, int type, int target, int64_t disp,
                             const void* operand, void* result) {
  return capi::with_op_on(op, type, [&](atomic_op o, primitive p) {
    return capi::code_of(window->any, window->any.fetch_op(o, p, rank{target}, capi::disp_at(disp),
                                                           operand, result, capi::c_caller));
  });
}

int oriel_window_compare_swap_as(oriel_window* window, int type, int target, int64_t disp,
                                 const void* expected, const void* desired, void* result) {
  return capi::with<primitive>(type, [&](primitive p) {
    return capi::code_of(window->any,
                         window->any.compare_swap(p, rank{target}, capi::disp_at(disp), expected,
                                                  desired, result, capi::c_caller));
  });
}

}  // extern "C"
