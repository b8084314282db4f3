#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;
using oriel::rank;

extern "C" {

int oriel_window_put_on(oriel_window* window, void* stream, int target, int64_t disp,
                        const void* values, size_t n) {
  return capi::code_of(window->any, window->any.put_on(stream, rank{target}, capi::disp_at(disp),
                                                       values, n, capi::c_caller));
}

int oriel_window_get_on(oriel_window* window, void* stream, int target, int64_t disp, void* values,
                        size_t n) {
  return capi::code_of(window->any, window->any.get_on(stream, rank{target}, capi::disp_at(disp),
                                                       values, n, capi::c_caller));
}

int oriel_window_signal_on(oriel_window* window, void* stream, int target, size_t counter,
                           uint32_t amount) {
  return capi::code_of(
      window->any, window->any.signal_on(stream, rank{target}, counter, amount, capi::c_caller));
}

int oriel_window_wait_on(oriel_window* window, void* stream, size_t counter, uint64_t at_least) {
  return capi::code_of(window->any, window->any.wait_on(stream, counter, at_least, capi::c_caller));
}

int oriel_window_wait_more_on(oriel_window* window, void* stream, size_t counter, uint64_t amount) {
  return capi::code_of(window->any,
                       window->any.wait_more_on(stream, counter, amount, capi::c_caller));
}

}  // extern "C"
