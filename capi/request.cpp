#include <memory>
#include <new>
#include <span>

#include "capi/enumerators.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;
using oriel::atomic_op;
using oriel::primitive;
using oriel::rank;
using oriel::shape;

namespace {

// A null handle for an operation that is complete, so that nothing is allocated within a node. One
// for which no handle can be made is waited for.
int give(const oriel::any_window& window, oriel::request&& begun, oriel_request** handle) noexcept {
  oriel_request* pending = begun.test() ? nullptr : new (std::nothrow) oriel_request;
  if (pending != nullptr) {
    pending->request = std::move(begun);
  } else if (const oriel::status ended = begun.wait(); !ended.ok()) {
    return capi::code_of(window, ended);
  }
  *handle = pending;
  return ORIEL_SUCCESS;
}

}  // namespace

extern "C" {

int oriel_window_rput(oriel_window* window, int target, int64_t disp, const void* values, size_t n,
                      oriel_request** request) {
  return give(window->any,
              window->any.rput(rank{target}, capi::disp_at(disp), values, n, capi::c_caller),
              request);
}

int oriel_window_rget(oriel_window* window, int target, int64_t disp, void* values, size_t n,
                      oriel_request** request) {
  return give(window->any,
              window->any.rget(rank{target}, capi::disp_at(disp), values, n, capi::c_caller),
              request);
}

int oriel_window_raccumulate(oriel_window* window, int op, int target, int64_t disp,
                             const void* operands, size_t n, oriel_request** request) {
  return oriel_window_rget_accumulate(window, op, target, disp, operands, nullptr, n, request);
}

int oriel_window_rget_accumulate(oriel_window* window, int op, int target, int64_t disp,
                                 const void* operands, void* results, size_t n,
                                 oriel_request** request) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return give(window->any,
                window->any.rget_accumulate(o, rank{target}, capi::disp_at(disp), operands, results,
                                            n, capi::c_caller),
                request);
  });
}

int oriel_window_rput_typed(oriel_window* window, int target, int64_t disp, const void* origin,
                            size_t origin_count, const oriel_datatype* origin_type,
                            size_t target_count, const oriel_datatype* target_type,
                            oriel_request** request) {
  return give(window->any,
              window->any.rput(rank{target}, capi::disp_at(disp), origin,
                               shape{origin_type->type, origin_count},
                               shape{target_type->type, target_count}, capi::c_caller),
              request);
}

int oriel_window_rget_typed(oriel_window* window, int target, int64_t disp, void* result,
                            size_t result_count, const oriel_datatype* result_type,
                            size_t target_count, const oriel_datatype* target_type,
                            oriel_request** request) {
  return give(window->any,
              window->any.rget(rank{target}, capi::disp_at(disp), result,
                               shape{result_type->type, result_count},
                               shape{target_type->type, target_count}, capi::c_caller),
              request);
}

int oriel_window_raccumulate_typed(oriel_window* window, int op, int target, int64_t disp,
                                   const void* origin, size_t origin_count,
                                   const oriel_datatype* origin_type, size_t target_count,
                                   const oriel_datatype* target_type, oriel_request** request) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return give(window->any,
                window->any.raccumulate(o, rank{target}, capi::disp_at(disp), origin,
                                        shape{origin_type->type, origin_count},
                                        shape{target_type->type, target_count}, capi::c_caller),
                request);
  });
}

int oriel_window_rget_accumulate_typed(oriel_window* window, int op, int target, int64_t disp,
                                       const void* origin, size_t origin_count,
                                       const oriel_datatype* origin_type, void* result,
                                       size_t result_count, const oriel_datatype* result_type,
                                       size_t target_count, const oriel_datatype* target_type,
                                       oriel_request** request) {
  return capi::with<atomic_op>(op, [&](atomic_op o) {
    return give(window->any,
                window->any.rget_accumulate(o, rank{target}, capi::disp_at(disp), origin,
                                            shape{origin_type->type, origin_count}, result,
                                            shape{result_type->type, result_count},
                                            shape{target_type->type, target_count}, capi::c_caller),
                request);
  });
}

int oriel_window_rget_accumulate_as(oriel_window* window, int op, int type, int target,
                                    int64_t disp, const void* operands, void* results, size_t n,
                                    oriel_request** request) {
  return capi::with_op_on(op, type, [&](atomic_op o, primitive p) {
    return give(window->any,
                window->any.rget_accumulate(o, p, rank{target}, capi::disp_at(disp), operands,
                                            results, n, capi::c_caller),
                request);
  });
}

int oriel_request_test(const oriel_request* request, int* done) {
  *done = request == nullptr || request->request.test() ? 1 : 0;
  return ORIEL_SUCCESS;
}

int oriel_request_wait(oriel_request* request) {
  const std::unique_ptr<oriel_request> owned(request);
  return owned == nullptr ? ORIEL_SUCCESS : capi::code_of(owned->request.wait());
}

int oriel_request_wait_all(size_t n, oriel_request** requests) {
  int first = ORIEL_SUCCESS;
  for (oriel_request*& r : std::span(requests, n)) {
    const int one = oriel_request_wait(std::exchange(r, nullptr));
    if (first == ORIEL_SUCCESS) first = one;
  }
  return first;
}

}  // extern "C"
