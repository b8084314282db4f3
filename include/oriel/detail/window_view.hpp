// The part of a window that inlined operations read: where each rank's memory is mapped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "oriel/assertion.hpp"
#include "oriel/detail/gate.hpp"
#include "oriel/detail/operation_table.hpp"
#include "oriel/errc.hpp"
#include "oriel/rank.hpp"

namespace oriel::detail {

// One rank's memory, as an offset from this process's mapping of the node. Kept once per node for a
// window that is mapped everywhere, so its metadata is 16 bytes a rank.
struct segment_entry {
  std::int64_t offset = 0;
  std::uint64_t count = 0;  // elements
};

// The rank's memory is not mapped here: accesses go through the operation table. No segment lies at
// the very start of the node's memory.
inline constexpr std::int64_t unmapped = 0;

// Per process and window; written rarely.
struct window_hot {
  std::atomic<std::int32_t> first_error{0};  // an errc; latched until failure is cleared
  std::atomic<std::uint32_t> pending{0};     // not 0: a flush has work beyond a full fence
};

struct window_view {
  std::byte* base = nullptr;                // this process's mapping of the node's memory
  const segment_entry* segments = nullptr;  // for put and get, by rank
  const segment_entry* atomics = nullptr;   // for atomics: all unmapped where the CPU may not
  const segment_entry* runs = nullptr;      // for several elements: all unmapped where the other
                                            // buffer may be one that the CPU cannot reach
  const operation_table* ops = nullptr;
  window_core* core = nullptr;
  window_hot* hot = nullptr;
  window_gates gates;       // of windows that are mapped everywhere, whose ranks are the node's
  bool one_thread = false;  // no two threads of this process are in oriel at once
};

// The view of a window that has been freed or moved from, or was never made: every rank unmapped,
// and operations that return errc::win. So the inlined operations need no test of their own.
extern const window_view closed_view;

// -DORIEL_CHECKED lets ORIEL_CHECK=1 check windows whose accesses are bare stores, too; all other
// windows need no rebuild (docs/CHECKING.md).
#ifdef ORIEL_CHECKED
inline constexpr bool checked_build = true;
#else
inline constexpr bool checked_build = false;
#endif

constexpr bool is_static(assertion_set a) noexcept {
  return a != at_run_time;
}

// Every target is mapped, by promise: the address needs no test.
constexpr bool always_mapped(assertion_set a) noexcept {
  return is_static(a) && a.has(assertion::remote_load_store) && !a.has(assertion::attach) &&
         !checked_build;
}

// Only exclusive locks ever open an epoch, so no other process accesses the target meanwhile.
// Accumulates then need no atomic instruction in a process that has one thread in oriel at a time.
constexpr bool exclusive_only(assertion_set a) noexcept {
  return is_static(a) && a.has(assertion::exclusive_lock) &&
         !a.has_any(assertion::shared_lock | assertion::fence | assertion::pscw);
}

// Accumulates of several elements may run beside atomics on single ones.
constexpr bool may_be_long(assertion_set a) noexcept {
  return is_static(a) && a.has_any(assertion::multi_element | assertion::user_datatype) &&
         !exclusive_only(a);
}

// Returns the address of element `i` of rank `r`, or null where the access needs the operation
// table. `Tests`: whether it may be unmapped, which a promise can rule out.
template <class T, assertion_set A, bool Tests = !always_mapped(A)>
[[gnu::always_inline]] inline T* reach(const window_view& view, const segment_entry* entries,
                                       rank r, disp i) noexcept {
  if constexpr (!is_static(A) || A.has(assertion::attach)) {
    return nullptr;
  } else {
    const std::int64_t offset = entries[r.value].offset;
    if constexpr (Tests) {
      if (offset == unmapped) [[unlikely]]
        return nullptr;
    }
    T* const there = reinterpret_cast<T*>(view.base + offset) + i.value;
    if (there == nullptr) __builtin_unreachable();
    return there;
  }
}

}  // namespace oriel::detail
