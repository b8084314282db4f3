// What one rank has made for the others of its node in a collective: they find it here also when
// the collective itself fails, so that it is not leaked. In shared memory, one line a rank, zeroed
// at first.
#pragma once

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
    content_ = made;
    id_.store(id, std::memory_order_release);
    word_.value.fetch_add(1, std::memory_order_seq_cst);
    wake_all(word_);
  }
  // False when there is none by now.
  [[nodiscard]] bool find(std::uint64_t id, content& made) const noexcept {
    if (id_.load(std::memory_order_acquire) != id) return false;
    made = content_;
    return true;
  }
  // Blocks until it is published. Fails as `maker` does, which should watch that rank alone.
  errc collect(std::uint64_t id, const peer_watch& maker, content& made) noexcept {
    const errc e = wait_for(word_, maker, [this, id](std::uint32_t) {
      return id_.load(std::memory_order_acquire) == id;
    });
    if (e == errc::success) made = content_;
    return e;
  }

 private:
  wait_word word_;
  std::atomic<std::uint64_t> id_;
  content content_;
};
static_assert(sizeof(published_result) == 64);

}  // namespace oriel::sync
