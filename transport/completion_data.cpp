#include "transport/completion_data.hpp"

#include <new>

namespace oriel::transport {

std::uint32_t notice_numbers::give(holder h, int bits) noexcept {
  const std::lock_guard hold(mutex_);
  const std::uint32_t end = 1u << bits;
  if (given_.size() >= end - 1) return 0;
  try {
    do last_ = last_ + 1 < end ? last_ + 1 : 1;
    while (!given_.try_emplace(last_, h).second);
    return last_;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

notice_numbers::holder notice_numbers::find(std::uint32_t number) const noexcept {
  const std::lock_guard hold(mutex_);
  const auto found = given_.find(number);
  return found == given_.end() ? holder{} : found->second;
}

void notice_numbers::take_back(const service& s) noexcept {
  const std::lock_guard hold(mutex_);
  std::erase_if(given_, [&s](const auto& g) { return g.second.to == &s; });
}

}  // namespace oriel::transport
