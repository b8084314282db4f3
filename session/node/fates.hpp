// The fate of each rank of a job, as far as this process has found or received it. Reading makes no
// system call and takes no lock.
//
// Threads: any may read; one writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "session/node/fate.hpp"

namespace oriel::sessions {

class fates {
 public:
  // All are here.
  explicit fates(int ranks);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(known_.size()); }
  [[nodiscard]] fate of(int r) const noexcept {
    return known_[static_cast<std::size_t>(r)].load(std::memory_order_acquire);
  }
  [[nodiscard]] bool alive(int r) const noexcept { return !is_gone(of(r)); }
  // How many have gone, and which, in the order of the news: a reader that has seen some of them
  // finds the others without a look at every rank.
  [[nodiscard]] std::size_t losses() const noexcept {
    return losses_.load(std::memory_order_acquire);
  }
  [[nodiscard]] int lost(std::size_t i) const noexcept { return lost_[i]; }
  // The other ranks have declared this one failed.
  [[nodiscard]] bool estranged() const noexcept {
    return estranged_.load(std::memory_order_acquire);
  }
  // The rails that no rank uses any more: bit k for the k-th.
  [[nodiscard]] std::uint32_t failed_rails() const noexcept {
    return failed_rails_.load(std::memory_order_acquire);
  }
  void note_failed_rails(std::uint32_t all) noexcept {
    failed_rails_.store(all, std::memory_order_release);
  }

  // True when it is news.
  bool note(int r, fate f) noexcept;
  // Every rank but `me` that is here has parted from this one.
  void estrange_from_all_but(int me) noexcept;

 private:
  std::vector<std::atomic<fate>> known_;
  std::unique_ptr<int[]> lost_;
  std::atomic<std::size_t> losses_{0};
  std::atomic<bool> estranged_{false};
  std::atomic<std::uint32_t> failed_rails_{0};
};

}  // namespace oriel::sessions
