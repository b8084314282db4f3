// What one thread of a kernel requests from the host, by the ring, of memory that the device does
// not reach.
//
// Never inlined, and given values rather than addresses of what the caller computes with: a view,
// an operand or a result whose address is taken lives in the thread's memory on the direct route
// too, and a quarter of its speed goes there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/detail/device_ring.cuh"
#include "oriel/detail/device_view.hpp"
#include "oriel/rank.hpp"

namespace oriel::detail::device {

enum class blocking : bool { no, yes };

// A constant, since kernels may not call primitive_of.
template <class T>
inline constexpr primitive primitive_constant = primitive_of<T>();

template <class T>
ORIEL_DEVICE inline ring_call call_for(kernel_action action, rank r, disp i,
                                       std::size_t n) noexcept {
  ring_call call;
  call.request.action = action;
  call.request.type = primitive_constant<T>;
  call.request.target = r.value;
  call.request.first = i.value;
  call.request.n = n;
  call.request.element_bytes = sizeof(T);
  return call;
}

// Sends `bytes` of a source: in the slot if they fit, else by address, and then a blocking call
// waits until the source has been read.
ORIEL_DEVICE inline void submit_source(const device_view& view, ring_call& call, const void* from,
                                       std::size_t bytes, blocking wait) noexcept {
  if (bytes <= kernel_inline_bytes) {
    call.payload = from;
    call.payload_bytes = bytes;
  } else {
    call.request.source = from;
    call.request.answered = wait == blocking::yes ? 1 : 0;
  }
  submit(view.ring, view.state, call);
}
// Sends operands, which fit in the slot, and waits for a result of type T; T{} after a failure.
template <class T>
ORIEL_DEVICE inline T submit_fetch(const device_view& view, ring_call& call, const void* operands,
                                   std::size_t bytes) noexcept {
  T before{};
  call.request.answered = 1;
  call.payload = operands;
  call.payload_bytes = bytes;
  call.reply = &before;
  call.reply_bytes = sizeof(T);
  submit(view.ring, view.state, call);
  return before;
}

template <class T>
[[gnu::noinline]] ORIEL_DEVICE inline void request_put(device_view view, rank r, disp i,
                                                       const T* from, std::size_t n,
                                                       blocking wait) noexcept {
  auto call = call_for<T>(kernel_action::put, r, i, n);
  submit_source(view, call, from, n * sizeof(T), wait);
}
template <class T>
[[gnu::noinline]] ORIEL_DEVICE inline void request_put_one(device_view view, rank r, disp i,
                                                           T value) noexcept {
  auto call = call_for<T>(kernel_action::put, r, i, 1);
  submit_source(view, call, &value, sizeof(T), blocking::yes);
}

template <class T>
[[gnu::noinline]] ORIEL_DEVICE inline void request_get(device_view view, rank r, disp i, T* to,
                                                       std::size_t n, blocking wait) noexcept {
  auto call = call_for<T>(kernel_action::get, r, i, n);
  call.request.answered = wait == blocking::yes ? 1 : 0;
  if (wait == blocking::yes && n * sizeof(T) <= kernel_inline_bytes) {
    call.reply = to;
    call.reply_bytes = n * sizeof(T);
  } else {
    call.request.sink = to;
  }
  submit(view.ring, view.state, call);
}
template <class T>
[[gnu::noinline]] ORIEL_DEVICE inline T request_get_one(device_view view, rank r, disp i) noexcept {
  auto call = call_for<T>(kernel_action::get, r, i, 1);
  return submit_fetch<T>(view, call, nullptr, 0);
}

template <class T>
[[gnu::noinline]] ORIEL_DEVICE inline void request_accumulate(device_view view, atomic_op op,
                                                              rank r, disp i, const T* operands,
                                                              std::size_t n) noexcept {
  auto call = call_for<T>(kernel_action::accumulate, r, i, n);
  call.request.op = op;
  submit_source(view, call, operands, n * sizeof(T), blocking::yes);
}
template <class T>
[[gnu::noinline]] ORIEL_DEVICE inline void request_accumulate_one(device_view view, atomic_op op,
                                                                  rank r, disp i,
                                                                  T operand) noexcept {
  auto call = call_for<T>(kernel_action::accumulate, r, i, 1);
  call.request.op = op;
  submit_source(view, call, &operand, sizeof(T), blocking::yes);
}
template <class T>
[[gnu::noinline]] ORIEL_DEVICE inline T request_fetch_op(device_view view, atomic_op op, rank r,
                                                         disp i, T operand) noexcept {
  auto call = call_for<T>(kernel_action::fetch_op, r, i, 1);
  call.request.op = op;
  return submit_fetch<T>(view, call, &operand, sizeof(T));
}
template <class T>
[[gnu::noinline]] ORIEL_DEVICE inline T request_compare_swap(device_view view, rank r, disp i,
                                                             T expected, T desired) noexcept {
  const T operands[2] = {expected, desired};
  auto call = call_for<T>(kernel_action::compare_swap, r, i, 1);
  return submit_fetch<T>(view, call, operands, sizeof operands);
}

template <class T>
[[gnu::noinline]] ORIEL_DEVICE inline void request_put_notify(device_view view, rank r, disp i,
                                                              const T* from, std::size_t n,
                                                              std::size_t counter) noexcept {
  auto call = call_for<T>(kernel_action::put_notify, r, i, n);
  call.request.counter = static_cast<std::uint32_t>(counter);
  submit_source(view, call, from, n * sizeof(T), blocking::yes);
}

[[gnu::noinline]] ORIEL_DEVICE inline void request_fence(device_view view) noexcept {
  ring_call call;
  call.request.action = kernel_action::fence;
  submit(view.ring, view.state, call);
}
// Returns false where the window was closed first.
[[gnu::noinline]] ORIEL_DEVICE inline bool request_quiet(device_view view) noexcept {
  ring_call call;
  call.request.action = kernel_action::quiet;
  call.request.answered = 1;
  return submit(view.ring, view.state, call);
}

}  // namespace oriel::detail::device
