// What a flush or a request waits for, and how memory of another node is named: plain data that
// windows share with the way to other nodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "oriel/errc.hpp"

namespace oriel::transport {

// Memory of the rank's process.
struct remote_place {
  int rank;  // in the world
  std::uint64_t address;
  std::uint64_t key;
};

// Sources of at most so many bytes can be kept, so that the caller may reuse them at once.
inline constexpr std::size_t most_kept = 64;

// A number of operations that are waited for together: those to one target, or of one request.
struct pending_ops {
  std::atomic<std::uint32_t> count{0};
  std::atomic<errc> failed{errc::success};      // of the first that failed
  std::atomic<std::uint32_t> failures{0};       // not taken yet
  std::atomic<std::uint32_t>* total = nullptr;  // of the window, counted along

  [[nodiscard]] bool idle() const noexcept { return count.load(std::memory_order_acquire) == 0; }
  void begin() noexcept {
    count.fetch_add(1, std::memory_order_relaxed);
    if (total != nullptr) total->fetch_add(1, std::memory_order_relaxed);
  }
  void end(errc result) noexcept {
    errc none = errc::success;
    if (result != errc::success) {
      // Counted until it is taken, so that no flush finds the window idle before.
      failures.fetch_add(1, std::memory_order_relaxed);
      failed.compare_exchange_strong(none, result);
    } else if (total != nullptr) {
      total->fetch_sub(1, std::memory_order_release);
    }
    count.fetch_sub(1, std::memory_order_release);  // last: the waiter may be gone after it
  }
  // Around the beginning of an operation: where a thread stores a word (seq_cst) and then finds the
  // count 0, every thread that enters later sees the word.
  void enter() noexcept { count.fetch_add(1, std::memory_order_seq_cst); }
  void leave() noexcept { count.fetch_sub(1, std::memory_order_release); }
  [[nodiscard]] bool none_inside() const noexcept {
    return count.load(std::memory_order_seq_cst) == 0;
  }
  // The first that has not been taken.
  [[nodiscard]] errc failure() const noexcept { return failed.load(std::memory_order_relaxed); }
  // Returns it. Another thread that waits for the same operations does not find it any more: where
  // there may be one, the failure is to be known elsewhere before.
  errc take_failure() noexcept {
    if (failure() == errc::success) return errc::success;
    const std::uint32_t taken = failures.exchange(0);
    if (total != nullptr) total->fetch_sub(taken, std::memory_order_release);
    return failed.exchange(errc::success);
  }
};

}  // namespace oriel::transport
