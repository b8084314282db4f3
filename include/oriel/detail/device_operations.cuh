// The bodies of window_view's operations, by either route: a peer's memory, or a request that the
// scope's leader makes (device_requests.cuh). oriel/device.cuh has the contracts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "oriel/detail/device_atomic.cuh"
#include "oriel/detail/device_copy.cuh"
#include "oriel/detail/device_requests.cuh"
#include "oriel/detail/device_scope.cuh"
#include "oriel/detail/device_view.hpp"
#include "oriel/errc.hpp"
#include "oriel/rank.hpp"

namespace oriel::detail::device {

template <class S, class T>
ORIEL_DEVICE inline void put(S s, const device_view& view, rank r, disp i, const T* from,
                             std::size_t n, blocking wait) noexcept {
  sync(s);
  if (std::byte* const memory = load_constant(&view.peers[r.value].memory)) {
    copy_share<copy_unit<T>>(reinterpret_cast<T*>(memory) + i.value, from, n * sizeof(T),
                             member(s));
  } else if (n != 0 && member(s).leads()) {
    request_put(view, r, i, from, n, wait);
  }
  if (wait == blocking::yes) sync(s);
}

template <class S, class T>
ORIEL_DEVICE inline void get(S s, const device_view& view, rank r, disp i, T* to, std::size_t n,
                             blocking wait) noexcept {
  sync(s);
  if (const std::byte* const memory = load_constant(&view.peers[r.value].memory)) {
    copy_share<copy_unit<T>>(to, reinterpret_cast<const T*>(memory) + i.value, n * sizeof(T),
                             member(s));
  } else if (n != 0 && member(s).leads()) {
    request_get(view, r, i, to, n, wait);
  }
  if (wait == blocking::yes) sync(s);
}

// The element that atomics update here, or null.
template <class T>
ORIEL_DEVICE inline T* atomic_place(const device_view& view, rank r, disp i) noexcept {
  std::byte* const memory = load_constant(&view.peers[r.value].atomics);
  return memory == nullptr ? nullptr : reinterpret_cast<T*>(memory) + i.value;
}

template <atomic_op Op, class S, class T>
ORIEL_DEVICE inline void accumulate_one(S s, const device_view& view, rank r, disp i,
                                        const T& operand) noexcept {
  static_assert(defined_on<Op, T>, "the operation is not defined on this type");
  sync(s);
  if (member(s).leads()) {
    if (T* const there = atomic_place<T>(view, r, i))
      apply_op<Op>(there, operand);
    else
      request_accumulate_one<T>(view, Op, r, i, operand);
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
    request_accumulate(view, Op, r, i, operands, n);
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
    if (T* const there = atomic_place<T>(view, r, i))
      before = fetch_op<Op>(there, operand);
    else
      before = request_fetch_op<T>(view, Op, r, i, operand);
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
    if (T* const there = atomic_place<T>(view, r, i))
      before = compare_swap(there, expected, desired);
    else
      before = request_compare_swap<T>(view, r, i, expected, desired);
  }
  return from_leader(s, before);
}

ORIEL_DEVICE inline const word64* counter_word(const device_view& view,
                                               std::size_t counter) noexcept {
  return as_word(view.counters + counter * counter_stride);
}

template <class S, class T>
ORIEL_DEVICE inline void put_notify(S s, const device_view& view, rank r, disp i, const T* from,
                                    std::size_t n, std::size_t counter) noexcept {
  // The host adds to the counter; elements that the device reaches need it not. They are visible
  // before the request is, which its release orders: those of all threads of the scope.
  const bool direct = load_constant(&view.peers[r.value].memory) != nullptr;
  if (direct)
    put(s, view, r, i, from, n, blocking::yes);
  else
    sync(s);
  if (member(s).leads()) {
    request_put_notify(view, r, i, from, direct ? 0 : n, counter);
  }
  sync(s);
}

// Orders what the thread did before, and returns whether the host may still have something to do
// for requests of that.
ORIEL_DEVICE inline bool any_out(const device_view& view) noexcept {
  fence();  // of fence and quiet
  const word64 taken = load_relaxed(as_word(view.ring.tickets));
  return taken != 0 && load_acquire(as_word(&view.state->complete)) < taken;
}

template <class S>
ORIEL_DEVICE inline void order(S s, const device_view& view) noexcept {
  sync(s);
  if (member(s).leads()) {
    if (any_out(view)) request_fence(view);
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
    const bool answered = !any_out(view) || request_quiet(view);
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

// `ended()` returns why the wait may end before its condition holds, or success.
template <class S, class T, class Ended>
ORIEL_DEVICE inline errc wait_word(S s, const word_t<sizeof(T)>* at, comparison how, T value,
                                   Ended ended) noexcept {
  sync(s);
  errc result = errc::success;
  if (member(s).leads()) {
    for (unsigned looks = 1; !compares(value_of<T>(load_acquire(at)), how, value); ++looks) {
      if (looks % looks_between_checks == 0) {
        result = ended();
        if (result != errc::success) break;
      }
      pause();
    }
  }
  return from_leader(s, result);
}

template <class S, class T>
ORIEL_DEVICE inline errc wait_until(S s, const device_view& view, const word_t<sizeof(T)>* at,
                                    comparison how, T value) noexcept {
  return wait_word(s, at, how, value, [state = view.state] {
    return is_closed(state) ? closing_failure(state) : errc::success;
  });
}

// Why a wait for `at_least` ends: it would have, had no notification been refused.
ORIEL_DEVICE inline errc refusal_of(const word64* counter, std::uint64_t at_least) noexcept {
  const word64 refused = load_acquire(counter + counter_refused);
  const word64 count = load_relaxed(counter);  // no older than the refusals, as is the reason
  if (refused == 0 || count >= at_least || count + refused < at_least) return errc::success;
  return static_cast<errc>(load_relaxed(reinterpret_cast<const word32*>(counter + counter_why)));
}

template <class S>
ORIEL_DEVICE inline errc wait_notify(S s, const device_view& view, std::size_t counter,
                                     std::uint64_t at_least) noexcept {
  const word64* const at = counter_word(view, counter);
  return wait_word(s, at, comparison::greater_equal, at_least, [state = view.state, at, at_least] {
    return is_closed(state) ? closing_failure(state) : refusal_of(at, at_least);
  });
}

}  // namespace oriel::detail::device
