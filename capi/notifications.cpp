#include <chrono>

#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;
using oriel::rank;
using oriel::shape;
using oriel::detail::notify_read;

namespace {

// Through the table, whose code distinguishes a failure from a count of 0.
int read_counter(oriel_window* window, std::size_t counter, notify_read how,
                 std::uint64_t* value) noexcept {
  const oriel::detail::window_view& view = window->any.view();
  return capi::code_of(window->any,
                       view.ops->read_notify(*view.core, counter, how, value, capi::c_caller));
}

}  // namespace

extern "C" {

int oriel_window_put_notify(oriel_window* window, int target, int64_t disp, const void* values,
                            size_t n, size_t counter, uint32_t amount) {
  return capi::code_of(window->any,
                       window->any.put_notify(rank{target}, capi::disp_at(disp), values, n, counter,
                                              amount, capi::c_caller));
}

int oriel_window_put_notify_typed(oriel_window* window, int target, int64_t disp,
                                  const void* origin, size_t origin_count,
                                  const oriel_datatype* origin_type, size_t target_count,
                                  const oriel_datatype* target_type, size_t counter,
                                  uint32_t amount) {
  return capi::code_of(
      window->any, window->any.put_notify(rank{target}, capi::disp_at(disp), origin,
                                          shape{origin_type->type, origin_count},
                                          shape{target_type->type, target_count}, counter, amount,
                                          capi::c_caller));
}

int oriel_window_notify(oriel_window* window, int target, size_t counter, uint32_t amount) {
  return oriel_window_put_notify(window, target, 0, nullptr, 0, counter, amount);
}

int oriel_window_wait_notify(oriel_window* window, size_t counter, uint64_t at_least) {
  return capi::code_of(window->any, window->any.wait_notify(counter, at_least, {}, capi::c_caller));
}

int oriel_window_wait_notify_for(oriel_window* window, size_t counter, uint64_t at_least,
                                 int64_t at_most) {
  return capi::code_of(
      window->any, window->any.wait_notify(counter, at_least, std::chrono::milliseconds(at_most),
                                           capi::c_caller));
}

int oriel_window_wait_notify_any(oriel_window* window, size_t first, size_t n,
                                 const uint64_t* at_least, size_t* counter) {
  return capi::code_of(
      window->any, window->any.wait_notify_any(first, {at_least, n}, *counter, {}, capi::c_caller));
}

int oriel_window_wait_notify_any_for(oriel_window* window, size_t first, size_t n,
                                     const uint64_t* at_least, int64_t at_most, size_t* counter) {
  return capi::code_of(
      window->any, window->any.wait_notify_any(first, {at_least, n}, *counter,
                                               std::chrono::milliseconds(at_most), capi::c_caller));
}

int oriel_window_notified(oriel_window* window, size_t counter, uint64_t* value) {
  return read_counter(window, counter, notify_read::look, value);
}

int oriel_window_take_notified(oriel_window* window, size_t counter, uint64_t* value) {
  return read_counter(window, counter, notify_read::take, value);
}

}  // extern "C"
