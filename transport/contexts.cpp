#include "transport/contexts.hpp"

#include "sync/process_own.hpp"

namespace oriel::transport {

void contexts::open(const endpoint& first, int all) {
  if (!first.others_may_follow()) return;
  for (int i = 1; i < all; ++i) {
    all_.push_back(std::make_unique<one>(first));
    ports_.push_back(&all_.back()->port());
  }
}

contexts::one* contexts::mine() noexcept {
  if (all_.empty()) return nullptr;
  static constinit sync::process_own<std::atomic<std::uint32_t>> threads;
  thread_local const std::uint32_t number = threads->fetch_add(1, std::memory_order_relaxed);
  const std::size_t which = number % (all_.size() + 1);
  return which == 0 ? nullptr : all_[which - 1].get();
}

}  // namespace oriel::transport
