#include "session/team/thread_clocks.hpp"

namespace oriel::sessions {

thread_clocks::thread_clocks(const known_times& all) : common_(all) {
  here_ = {};  // of one that has been here before
  begin();
}

void thread_clocks::begin() {
  if (number() != every_thread) return;
  for (std::size_t tried = 0; tried < slots_.size(); ++tried) {
    const std::size_t i = next_;
    next_ = (next_ + 1) % slots_.size();
    if (slots_[i] && slots_[i]->taken) continue;
    if (!slots_[i])
      slots_[i] = std::make_unique<slot>(slot{.times = common_});
    else
      slots_[i]->times.join(common_);
    slots_[i]->taken = true;
    here_ = {this, static_cast<std::int16_t>(i)};
    return;
  }
}

void thread_clocks::end() noexcept {
  const std::int16_t n = number();
  if (n == every_thread) return;
  slots_[static_cast<std::size_t>(n)]->taken = false;
  here_ = {};
}

std::size_t thread_clocks::index_of(const void* key) noexcept {
  // Fibonacci hashing (Knuth 6.4): addresses next to each other come far apart.
  return reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15u >> 54;
}

void thread_clocks::release(const void* key) {
  auto& kept = keys_[index_of(key)];
  if (!kept)
    kept = std::make_unique<known_times>(
        known_times{.ranks = std::vector<std::uint64_t>(common_.ranks.size())});
  if (const known_times* const one = mine()) return kept->join(*one);
  for (const auto& s : slots_)
    if (s) kept->join(s->times);
}

void thread_clocks::acquire(const void* key) noexcept {
  const auto& kept = keys_[index_of(key)];
  known_times* const one = mine();
  if (kept && one != nullptr) one->join(*kept);
}

}  // namespace oriel::sessions
