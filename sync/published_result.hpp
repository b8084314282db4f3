// What one rank has made for the others of its node in a collective: they find it here also when
// the collective itself fails, so that it is not leaked. In shared memory, one line a rank, zeroed
// at first.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "sync/wait.hpp"

namespace oriel::sync {

class alignas(64) published_result {
 public:
  struct content {
    std::uint64_t first = 0;  // as the collective understands them
    std::uint64_t second = 0;
  };

  // `id`: of the collective; never 0, and no other's. Its maker only.
  void offer(std::uint64_t id, const content& made) noexcept {
    place& at = places_[turn_++ % places_.size()];
    at.id.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    at.first.store(made.first, std::memory_order_relaxed);
    at.second.store(made.second, std::memory_order_relaxed);
    at.id.store(id, std::memory_order_release);
    word_.value.fetch_add(1, std::memory_order_seq_cst);
    wake_all(word_);
  }
  // False when there is none by now.
  [[nodiscard]] bool find(std::uint64_t id, content& made) const noexcept {
    for (const place& at : places_) {
      if (at.id.load(std::memory_order_acquire) != id) continue;
      const content found{at.first.load(std::memory_order_relaxed),
                          at.second.load(std::memory_order_relaxed)};
      std::atomic_thread_fence(std::memory_order_acquire);
      if (at.id.load(std::memory_order_relaxed) != id) continue;  // it is being replaced
      made = found;
      return true;
    }
    return false;
  }
  // Blocks until it is published. Fails as `maker` does, which should watch that rank alone.
  errc collect(std::uint64_t id, const peer_watch& maker, content& made) noexcept {
    return wait_for(word_, maker, [&, this](std::uint32_t) { return find(id, made); });
  }

 private:
  struct place {
    std::atomic<std::uint64_t> id;
    std::atomic<std::uint64_t> first;
    std::atomic<std::uint64_t> second;
  };

  wait_word word_;
  std::uint32_t turn_;  // its maker's
  // The last two: where a collective has failed, the maker may be in the next one, which is the
  // agreement of the survivors, before another rank looks for what the failed one had made.
  std::array<place, 2> places_;
};
static_assert(sizeof(published_result) == 64);

}  // namespace oriel::sync
