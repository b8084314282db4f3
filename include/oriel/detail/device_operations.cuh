// The bodies of window_view's operations, by either route: a peer's memory, or a request that the
// scope's leader submits. oriel/device.cuh has the contracts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "oriel/detail/device_atomic.cuh"
#include "oriel/detail/device_copy.cuh"
#include "oriel/detail/device_ring.cuh"
#include "oriel/detail/device_scope.cuh"
#include "oriel/detail/device_view.hpp"
#include "oriel/errc.hpp"
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

template <class S, class T>
ORIEL_DEVICE inline void put(S s, const device_view& view, rank r, disp i, const T* from,
                             std::size_t n, blocking wait) noexcept {
  sync(s);
  if (std::byte* const memory = view.peers[r.value].memory) {
    copy_share<copy_unit<T>>(reinterpret_cast<T*>(memory) + i.value, from, n * sizeof(T),
                             member(s));
  } else if (n != 0 && member(s).leads()) {
    auto call = call_for<T>(kernel_action::put, r, i, n);
    submit_source(view, call, from, n * sizeof(T), wait);
  }
  if (wait == blocking::yes) sync(s);
}

template <class S, class T>
ORIEL_DEVICE inline void get(S s, const device_view& view, rank r, disp i, T* to, std::size_t n,
                             blocking wait) noexcept {
  sync(s);
  if (const std::byte* const memory = view.peers[r.value].memory) {
    copy_share<copy_unit<T>>(to, reinterpret_cast<const T*>(memory) + i.value, n * sizeof(T),
                             member(s));
  } else if (n != 0 && member(s).leads()) {
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
  if (wait == blocking::yes) sync(s);
}

// The element that atomics update here, or null.
template <class T>
ORIEL_DEVICE inline T* atomic_place(const device_view& view, rank r, disp i) noexcept {
  std::byte* const memory = view.peers[r.value].atomics;
  return memory == nullptr ? nullptr : reinterpret_cast<T*>(memory) + i.value;
}

template <atomic_op Op, class S, class T>
ORIEL_DEVICE inline void accumulate_one(S s, const device_view& view, rank r, disp i,
                                        const T& operand) noexcept {
  static_assert(defined_on<Op, T>, "the operation is not defined on this type");
  sync(s);
  if (member(s).leads()) {
    if (T* const there = atomic_place<T>(view, r, i)) {
      apply_op<Op>(there, operand);
    } else {
      auto call = call_for<T>(kernel_action::accumulate, r, i, 1);
      call.request.op = Op;
      submit_source(view, call, &operand, sizeof(T), blocking::yes);
    }
  }
  sync(s);
}

template <atomic_op Op, class S, class T>
ORIEL_DEVICE inline void accumulate(S s, const device_view& view, rank r, disp i, const T* operands,
                                    std::size_t n) noexcept {
  static_assert(defined_on<Op, T>, "the operation is not defined on this type");
  sync(s);
  const membership me = member(s);
  if (T* const there = atomic_place<T>(view, r, i)) {
    for (std::size_t e = me.index; e < n; e += me.size) apply_op<Op>(there + e, operands[e]);
  } else if (n != 0 && me.leads()) {
    auto call = call_for<T>(kernel_action::accumulate, r, i, n);
    call.request.op = Op;
    submit_source(view, call, operands, n * sizeof(T), blocking::yes);
  }
  sync(s);
}

template <atomic_op Op, class S, class T>
ORIEL_DEVICE inline T fetch_op(S s, const device_view& view, rank r, disp i,
                               const T& operand) noexcept {
  static_assert(defined_on<Op, T>, "the operation is not defined on this type");
  sync(s);
  T before{};
  if (member(s).leads()) {
    if (T* const there = atomic_place<T>(view, r, i)) {
      before = fetch_op<Op>(there, operand);
    } else {
      auto call = call_for<T>(kernel_action::fetch_op, r, i, 1);
      call.request.op = Op;
      call.request.answered = 1;
      call.payload = &operand;
      call.payload_bytes = sizeof(T);
      call.reply = &before;
      call.reply_bytes = sizeof(T);
      submit(view.ring, view.state, call);
    }
  }
  return from_leader(s, before);
}

template <class S, class T>
ORIEL_DEVICE inline T compare_swap(S s, const device_view& view, rank r, disp i, const T& expected,
                                   const T& desired) noexcept {
  static_assert(fits<T>, "elements of 1, 2, 4 and 8 bytes can be swapped");
  sync(s);
  T before{};
  if (member(s).leads()) {
    if (T* const there = atomic_place<T>(view, r, i)) {
      before = compare_swap(there, expected, desired);
    } else {
      const T operands[2] = {expected, desired};
      auto call = call_for<T>(kernel_action::compare_swap, r, i, 1);
      call.request.answered = 1;
      call.payload = operands;
      call.payload_bytes = sizeof operands;
      call.reply = &before;
      call.reply_bytes = sizeof(T);
      submit(view.ring, view.state, call);
    }
  }
  return from_leader(s, before);
}

ORIEL_DEVICE inline word64* counter_word(const device_peer& peer, std::size_t counter) noexcept {
  return as_word(peer.counters + counter * counter_stride);
}

template <class S, class T>
ORIEL_DEVICE inline void put_notify(S s, const device_view& view, rank r, disp i, const T* from,
                                    std::size_t n, std::size_t counter) noexcept {
  const device_peer& peer = view.peers[r.value];
  if (peer.counters != nullptr && peer.memory != nullptr) {
    put(s, view, r, i, from, n, blocking::yes);
    if (member(s).leads()) {
      fence();
      fetch_add(counter_word(peer, counter), 1);
    }
    return;
  }
  sync(s);
  if (member(s).leads()) {
    auto call = call_for<T>(kernel_action::put_notify, r, i, n);
    call.request.counter = static_cast<std::uint32_t>(counter);
    submit_source(view, call, from, n * sizeof(T), blocking::yes);
  }
  sync(s);
}

template <class S>
ORIEL_DEVICE inline void order(S s, const device_view& view) noexcept {
  sync(s);
  if (member(s).leads()) {
    fence();
    if (view.ring.slots != nullptr) {
      ring_call call;
      call.request.action = kernel_action::fence;
      submit(view.ring, view.state, call);
    }
  }
  sync(s);
}

ORIEL_DEVICE inline errc first_failure(const device_state* state) noexcept {
  return static_cast<errc>(load_relaxed(reinterpret_cast<const word32*>(&state->failure)));
}
// Returns the code of a wait that ended before its condition held.
ORIEL_DEVICE inline errc closing_failure(const device_state* state) noexcept {
  const errc failure = first_failure(state);
  return failure == errc::success ? errc::peer_failed : failure;
}

template <class S>
ORIEL_DEVICE inline errc quiet(S s, const device_view& view) noexcept {
  sync(s);
  errc result = errc::success;
  if (member(s).leads()) {
    fence();
    bool answered = true;
    if (view.ring.slots != nullptr) {
      ring_call call;
      call.request.action = kernel_action::quiet;
      call.request.answered = 1;
      answered = submit(view.ring, view.state, call);
    }
    result = answered ? first_failure(view.state) : closing_failure(view.state);
  }
  return from_leader(s, result);
}

enum class comparison : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

template <class T>
ORIEL_DEVICE inline bool compares(const T& a, comparison how, const T& b) noexcept {
  switch (how) {
    case comparison::equal:
      return a == b;
    case comparison::not_equal:
      return a != b;
    case comparison::less:
      return a < b;
    case comparison::less_equal:
      return a <= b;
    case comparison::greater:
      return a > b;
    case comparison::greater_equal:
      return a >= b;
  }
  return false;
}

template <class S, class T>
ORIEL_DEVICE inline errc wait_word(S s, const device_view& view, const word_t<sizeof(T)>* at,
                                   comparison how, T value) noexcept {
  sync(s);
  errc result = errc::success;
  if (member(s).leads()) {
    for (unsigned looks = 1; !compares(value_of<T>(load_acquire(at)), how, value); ++looks) {
      if (looks % looks_between_checks == 0 && is_closed(view.state)) {
        result = closing_failure(view.state);
        break;
      }
      pause();
    }
  }
  return from_leader(s, result);
}

}  // namespace oriel::detail::device
