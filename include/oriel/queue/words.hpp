// How the counters and marks of one rank's part of a queue are reached in a mixed phase
// (queue/part.hpp): by load and store where the part is mapped, through the window elsewhere.
#pragma once

#include <cstdint>
#include <span>

#include "oriel/detail/cpu_atomic.hpp"
#include "oriel/detail/host_pause.hpp"
#include "oriel/window.hpp"

namespace oriel::detail {

// Accesses are atomics and runs of words inside one lock_all epoch; ranks of one node load and
// store besides.
inline constexpr assertion_set queue_promise =
    assertion::shared_lock | assertion::multi_element | assertion::node_load_store;
using queue_window = window<std::uint64_t, queue_promise>;

class near_words {
 public:
  explicit near_words(std::uint64_t* base) noexcept : base_(base) {}

  [[nodiscard]] std::uint64_t load(std::uint64_t i) const noexcept {
    return __atomic_load_n(base_ + i, __ATOMIC_ACQUIRE);
  }
  void read(std::uint64_t i, std::uint64_t n, std::uint64_t* to) const noexcept {
    for (std::uint64_t k = 0; k < n; ++k) to[k] = load(i + k);
  }
  std::uint64_t compare_swap(std::uint64_t i, std::uint64_t expected,
                             std::uint64_t desired) noexcept {
    return cpu_compare_swap(base_ + i, expected, desired);
  }
  void publish(std::uint64_t i, std::uint64_t n, const std::uint64_t* from) noexcept {
    for (std::uint64_t k = 0; k < n; ++k)
      __atomic_store_n(base_ + i + k, from[k], __ATOMIC_RELEASE);
  }
  [[nodiscard]] bool pause(std::uint32_t attempt) const noexcept { return host_pause(attempt); }
  [[nodiscard]] static bool failed() noexcept { return false; }

 private:
  std::uint64_t* base_;
};

// Every access is an atomic operation, since several ranks access one word at a time (MPI-4.1
// §12.7), and complete on return.
class far_words {
 public:
  far_words(queue_window& window, rank owner) noexcept : window_(&window), owner_(owner) {}

  [[nodiscard]] std::uint64_t load(std::uint64_t i) noexcept {
    std::uint64_t now = 0;
    keep(window_->fetch_op<atomic_op::no_op>(owner_, disp{i}, 0, now));
    return now;
  }
  void read(std::uint64_t i, std::uint64_t n, std::uint64_t* to) noexcept {
    keep(window_->get_accumulate(atomic_op::no_op, owner_, disp{i}, {}, std::span(to, n)));
    keep(window_->flush_local(owner_));
  }
  std::uint64_t compare_swap(std::uint64_t i, std::uint64_t expected,
                             std::uint64_t desired) noexcept {
    std::uint64_t before = 0;
    keep(window_->compare_swap(owner_, disp{i}, expected, desired, before));
    return before;
  }
  void publish(std::uint64_t i, std::uint64_t n, const std::uint64_t* from) noexcept {
    keep(window_->flush(owner_));  // elements come first
    keep(window_->accumulate(atomic_op::replace, owner_, disp{i}, std::span(from, n)));
    keep(window_->flush(owner_));
  }
  [[nodiscard]] bool pause(std::uint32_t attempt) const noexcept { return host_pause(attempt); }
  [[nodiscard]] bool failed() const noexcept { return !first_.ok(); }
  [[nodiscard]] status failure() const noexcept { return first_; }

 private:
  void keep(status s) noexcept {
    if (first_.ok()) first_ = s;
  }

  queue_window* window_;
  rank owner_;
  status first_{};
};

}  // namespace oriel::detail
