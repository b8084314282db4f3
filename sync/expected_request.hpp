// Where a process looks first for the next request to it: into the slot that brought the last one.
// It has the request's line then as soon as it knows of it, and not after that of its bell,
// which is rung as well: one transfer between cores less, some 100 ns.
#pragma once

#include <atomic>
#include <cstdint>

namespace oriel::sync {

// In the low bits of a slot's state: which owner is asked; 0 while nobody is.
struct owner_name {
  static constexpr std::uint32_t mask = 0x1fff;
  static constexpr std::uint32_t of(int owner) noexcept {
    return 1 + static_cast<std::uint32_t>(owner);
  }
};

// Threads: any. What is seen here is a hint: slots stay mapped when their window has ended.
class expected_request {
 public:
  void expect_in(const std::atomic<std::uint32_t>& state, std::uint32_t name) noexcept {
    name_.store(name, std::memory_order_relaxed);
    state_.store(&state, std::memory_order_relaxed);
  }
  // Those in [first, last) are no slots any more.
  void forget(const void* first, const void* last) noexcept {
    const void* const at = state_.load(std::memory_order_relaxed);
    if (at >= first && at < last) state_.store(nullptr, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_here() const noexcept {
    const std::atomic<std::uint32_t>* const state = state_.load(std::memory_order_relaxed);
    return state != nullptr && (state->load(std::memory_order_relaxed) & owner_name::mask) ==
                                   name_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<const std::atomic<std::uint32_t>*> state_{nullptr};
  std::atomic<std::uint32_t> name_{0};
};

}  // namespace oriel::sync
