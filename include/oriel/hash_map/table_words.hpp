// How the host reaches the words of one rank's part of a hash table: by load and store where it is
// mapped, through the window where it is on another node or in memory of a device. table_part.hpp
// has the contract of each function.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "oriel/detail/host_pause.hpp"
#include "oriel/window.hpp"

namespace oriel::detail {

class host_words {
 public:
  static constexpr bool tries_first = false;  // a locked instruction for every slot on the way
  static constexpr bool peeks = false;        // a load is as cheap
  explicit host_words(std::uint64_t* base) noexcept : base_(base) {}

  [[nodiscard]] std::uint64_t load(std::uint64_t i) const noexcept {
    return __atomic_load_n(base_ + i, __ATOMIC_ACQUIRE);
  }
  void read(std::uint64_t i, unsigned n, std::uint64_t* to) const noexcept {
    for (unsigned k = 0; k < n; ++k) to[k] = __atomic_load_n(base_ + i + k, __ATOMIC_RELAXED);
  }
  void write(std::uint64_t i, unsigned n, const std::uint64_t* from) noexcept {
    for (unsigned k = 0; k < n; ++k) __atomic_store_n(base_ + i + k, from[k], __ATOMIC_RELAXED);
  }
  void publish(std::uint64_t i, std::uint64_t w) noexcept {
    __atomic_store_n(base_ + i, w, __ATOMIC_RELEASE);
  }
  std::uint64_t compare_swap(std::uint64_t i, std::uint64_t expected,
                             std::uint64_t desired) noexcept {
    return cpu_compare_swap(base_ + i, expected, desired);
  }
  std::uint64_t add(std::uint64_t i, std::uint64_t operand) noexcept {
    return cpu_fetch_op<atomic_op::sum>(base_ + i, operand);
  }
  // A store is as atomic as an exchange whose result is not used.
  void replace(std::uint64_t i, std::uint64_t w) noexcept { publish(i, w); }
  void order() const noexcept { std::atomic_thread_fence(std::memory_order_acq_rel); }
  [[nodiscard]] bool pause(std::uint32_t attempt) const noexcept { return host_pause(attempt); }

 private:
  std::uint64_t* base_;
};

// The table's accesses through its window are atomics and runs of words inside one lock_all epoch.
// Where the host loads and stores its memory, which the table's construction decides,
// node_load_store is promised besides.
inline constexpr assertion_set hash_map_promise = assertion::shared_lock | assertion::multi_element;
using hash_map_window = window<std::uint64_t>;

// Every access is an atomic operation, since several ranks access one word at a time (MPI-4.1
// §12.7). Results are usable on return. The window latches a failure, which its next flush returns;
// a read that failed returns 0, an empty slot, so that no thread waits for a word that never
// changes.
class remote_words {
 public:
  static constexpr bool tries_first = true;  // a look is a round trip too
  static constexpr bool peeks = false;

  remote_words(hash_map_window& window, rank owner) noexcept : window_(&window), owner_(owner) {}

  [[nodiscard]] std::uint64_t load(std::uint64_t i) const noexcept {
    return window_->fetch_op<atomic_op::no_op>(owner_, disp{i}, 0);
  }
  void read(std::uint64_t i, unsigned n, std::uint64_t* to) const noexcept {
    for (unsigned k = 0; k < n; ++k) to[k] = 0;
    if (n == 1) {
      *to = load(i);
      return;
    }
    static_cast<void>(
        window_->get_accumulate(atomic_op::no_op, owner_, disp{i}, {}, std::span(to, n)));
    static_cast<void>(window_->flush_local(owner_));
  }
  // One by one: their sources are reusable on return.
  void write(std::uint64_t i, unsigned n, const std::uint64_t* from) noexcept {
    for (unsigned k = 0; k < n; ++k) replace(i + k, from[k]);
  }
  void publish(std::uint64_t i, std::uint64_t w) noexcept {
    static_cast<void>(window_->flush(owner_));
    replace(i, w);
  }
  std::uint64_t compare_swap(std::uint64_t i, std::uint64_t expected,
                             std::uint64_t desired) noexcept {
    return window_->compare_swap(owner_, disp{i}, expected, desired);
  }
  std::uint64_t add(std::uint64_t i, std::uint64_t operand) noexcept {
    return window_->fetch_add(owner_, disp{i}, operand);
  }
  void replace(std::uint64_t i, std::uint64_t w) noexcept {
    static_cast<void>(window_->accumulate<atomic_op::replace>(owner_, disp{i}, w));
  }
  // Reads and updates are complete when they return, and publish flushes.
  void order() const noexcept {}
  [[nodiscard]] bool pause(std::uint32_t attempt) const noexcept { return host_pause(attempt); }

 private:
  hash_map_window* window_;
  rank owner_;
};

}  // namespace oriel::detail
