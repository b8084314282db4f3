#include "capi/enumerators.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;
using oriel::atomic_op;
using oriel::disp;
using oriel::rank;
using oriel::detail::element_list;
using oriel::detail::list_call;

namespace {

int perform(oriel_window* window, element_list what, std::size_t n, const int* ranks,
            const std::int64_t* disps) noexcept {
  what.n = n;
  what.ranks = capi::ranks_from(ranks, n).data();
  what.disps = capi::disps_from(disps, n).data();
  return capi::code_of(window->any, window->any.perform(what, capi::c_caller));
}

}  // namespace

extern "C" {

int oriel_window_scatter(oriel_window* window, size_t n, const int* ranks, const int64_t* disps,
                         const void* values) {
  return perform(window, {.call = list_call::put, .operands = values}, n, ranks, disps);
}

int oriel_window_gather(oriel_window* window, size_t n, const int* ranks, const int64_t* disps,
                        void* results) {
  return perform(window, {.call = list_call::get, .results = results}, n, ranks, disps);
}

int oriel_window_accumulate_list(oriel_window* window, int op, size_t n, const int* ranks,
                                 const int64_t* disps, const void* operands) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return perform(window, {.call = list_call::accumulate, .op = o, .operands = operands}, n, ranks,
                   disps);
  });
}

int oriel_window_fetch_op_list(oriel_window* window, int op, size_t n, const int* ranks,
                               const int64_t* disps, const void* operands, void* results) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return perform(window,
                   {.call = list_call::fetch_op, .op = o, .operands = operands, .results = results},
                   n, ranks, disps);
  });
}

int oriel_window_compare_swap_list(oriel_window* window, size_t n, const int* ranks,
                                   const int64_t* disps, const void* expected, const void* desired,
                                   void* results) {
  return perform(window,
                 {.call = list_call::compare_swap,
                  .operands = expected,
                  .desired = desired,
                  .results = results},
                 n, ranks, disps);
}

int oriel_window_get_nbi(oriel_window* window, int target, int64_t disp, void* value) {
  return oriel_window_gather(window, 1, &target, &disp, value);
}

int oriel_window_fetch_op_nbi(oriel_window* window, int op, int target, int64_t disp,
                              const void* operand, void* result) {
  return oriel_window_fetch_op_list(window, op, 1, &target, &disp, operand, result);
}

int oriel_window_compare_swap_nbi(oriel_window* window, int target, int64_t disp,
                                  const void* expected, const void* desired, void* result) {
  return oriel_window_compare_swap_list(window, 1, &target, &disp, expected, desired, result);
}

}  // extern "C"
