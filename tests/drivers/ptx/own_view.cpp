#include "tests/drivers/ptx/own_view.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "tests/drivers/ptx/schedule.hpp"

namespace oriel::test_driver::ptx {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t most_stores = 8, most_lines = 4, most_copies = 8;

std::byte* line_of(const std::byte* at) {
  auto* const p = const_cast<std::byte*>(at);
  return p - reinterpret_cast<std::uintptr_t>(p) % line_bytes;
}
std::uint64_t mask_of(const std::byte* at, std::size_t bytes) {
  return ((std::uint64_t{1} << bytes) - 1) << (at - line_of(at));
}

template <class Word>
Word& word_at(const std::byte* at) {
  return *reinterpret_cast<Word*>(const_cast<std::byte*>(at));
}

}  // namespace

std::uint64_t load_word(const std::byte* at, std::size_t bytes) {
  switch (bytes) {
    case 1:
      return std::atomic_ref(word_at<std::uint8_t>(at)).load();
    case 2:
      return std::atomic_ref(word_at<std::uint16_t>(at)).load();
    case 4:
      return std::atomic_ref(word_at<std::uint32_t>(at)).load();
    default:
      return std::atomic_ref(word_at<std::uint64_t>(at)).load();
  }
}

void store_word(std::byte* at, std::size_t bytes, std::uint64_t value) {
  switch (bytes) {
    case 1:
      return std::atomic_ref(word_at<std::uint8_t>(at))
          .store(static_cast<std::uint8_t>(value), std::memory_order_release);
    case 2:
      return std::atomic_ref(word_at<std::uint16_t>(at))
          .store(static_cast<std::uint16_t>(value), std::memory_order_release);
    case 4:
      return std::atomic_ref(word_at<std::uint32_t>(at))
          .store(static_cast<std::uint32_t>(value), std::memory_order_release);
    default:
      return std::atomic_ref(word_at<std::uint64_t>(at)).store(value, std::memory_order_release);
  }
}

void own_view::arrive(std::size_t which) {
  const pending p = stores_[which];
  stores_.erase(stores_.begin() + static_cast<std::ptrdiff_t>(which));
  arrive(p);
}

void own_view::arrive(const pending& p) {
  if (late_)
    late_->store(p.at, p.bytes, p.value, p.brings);
  else
    store_word(p.at, p.bytes, p.value);
}

void own_view::perform_copy(std::size_t which) {
  const copy one = copies_[which];
  copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(which));
  const std::uint64_t word =
      late_ ? late_->load_newest(one.from, one.bytes) : load_word(one.from, one.bytes);
  std::memcpy(one.to, &word, one.bytes);
}

void own_view::copy_late(std::byte* from, std::byte* to, std::size_t bytes, schedule& turns) {
  if (!turns.reorders() || !turns.chance(2)) return;
  for (const pending& p : stores_)
    if (p.at < from + bytes && from < p.at + p.bytes) return;  // it reads its own
  if (copies_.size() == most_copies) perform_copy(0);
  copies_.push_back({from, to, bytes});
}

void own_view::settle_copies(const std::byte* at, std::size_t bytes) {
  for (std::size_t i = 0; i < copies_.size();)
    if ((copies_[i].to < at + bytes && at < copies_[i].to + copies_[i].bytes) ||
        (copies_[i].from < at + bytes && at < copies_[i].from + copies_[i].bytes))
      perform_copy(i);
    else
      ++i;
}

void own_view::settle_copies() {
  while (!copies_.empty()) perform_copy(0);
}

void own_view::release() {
  settle_copies();
  for (const pending& p : stores_) arrive(p);
  stores_.clear();
}

void own_view::acquire() {
  ahead_.clear();
  if (late_) late_->acquire();
}

void own_view::fence(bool orders_all_fences) {
  release();
  ahead_.clear();
  if (late_) late_->fence(orders_all_fences);
}

void own_view::leave_at(sight& all) {
  release();
  ahead_.clear();
  if (late_) late_->show_to(all);
}

void own_view::take_from(const sight& all) {
  if (late_) late_->see(all);
}

void own_view::before_update(const std::byte* at, std::size_t bytes, bool releases) {
  if (releases) release();
  settle(at, bytes);
  if (late_) late_->before_update(at);
}

void own_view::updated(const std::byte* at, bool changed, bool releases) {
  if (late_) late_->updated(at, changed, releases);
}

void own_view::settle(const std::byte* at, std::size_t bytes) {
  settle_copies(at, bytes);
  forget(at, bytes);
  for (std::size_t i = 0; i < stores_.size();)
    if (stores_[i].at < at + bytes && at < stores_[i].at + stores_[i].bytes)
      arrive(i);
    else
      ++i;
}

void own_view::forget(const std::byte* at, std::size_t bytes) {
  for (line& l : ahead_)
    if (l.at == line_of(at)) l.valid &= ~mask_of(at, bytes);
}

void own_view::read_ahead(std::byte* at) {
  if (late_) return;
  line fresh;
  fresh.at = line_of(at);
  fresh.valid = ~std::uint64_t{0};
  for (std::size_t i = 0; i < line_bytes; i += 8) {
    const std::uint64_t word = load_word(fresh.at + i, 8);
    std::memcpy(fresh.bytes.data() + i, &word, 8);
  }
  // Bytes that it has stored and nobody has seen are not read from memory.
  for (const pending& p : stores_)
    if (line_of(p.at) == fresh.at) fresh.valid &= ~mask_of(p.at, p.bytes);
  for (line& l : ahead_)
    if (l.at == fresh.at) {
      l = fresh;
      return;
    }
  if (ahead_.size() == most_lines) ahead_.erase(ahead_.begin());
  ahead_.push_back(fresh);
}

std::uint64_t own_view::load(std::byte* at, std::size_t bytes, schedule& turns) {
  if (!turns.reorders()) return load_word(at, bytes);
  settle_copies(at, bytes);
  if (std::ranges::find(recent_, line_of(at)) == recent_.end())
    recent_[next_recent_++ % recent_.size()] = line_of(at);
  for (const pending& p : stores_)
    if (p.at < at + bytes && at < p.at + p.bytes) {
      settle(at, bytes);
      break;
    }
  if (late_) return late_->load(at, bytes, turns);
  const std::uint64_t mask = mask_of(at, bytes);
  for (const line& l : ahead_)
    if (l.at == line_of(at) && (l.valid & mask) == mask && turns.chance(2)) {
      std::uint64_t word = 0;
      std::memcpy(&word, l.bytes.data() + (at - l.at), bytes);
      return word;
    }
  if (turns.chance(4)) read_ahead(at);
  const std::uint64_t word = load_word(at, bytes);
  forget(at, bytes);
  return word;
}

void own_view::store(std::byte* at, std::size_t bytes, std::uint64_t value, schedule& turns) {
  if (!turns.reorders() || turns.chance(4)) {
    settle(at, bytes);
    arrive({at, bytes, value, late_ ? late_->at_fence() : nullptr});
    return;
  }
  settle_copies(at, bytes);
  forget(at, bytes);
  if (stores_.size() == most_stores) drift(turns);
  if (stores_.size() == most_stores) arrive(0);
  stores_.push_back({at, bytes, value, late_ ? late_->at_fence() : nullptr});
}

void own_view::store_release(std::byte* at, std::size_t bytes, std::uint64_t value) {
  release();
  settle(at, bytes);
  arrive({at, bytes, value, late_ ? late_->now() : nullptr});
}

void own_view::drift(schedule& turns) {
  if (!copies_.empty() && turns.chance(4)) perform_copy(turns.below(copies_.size()));
  if (std::byte* const line = recent_[turns.below(recent_.size())];
      line != nullptr && turns.chance(4))
    read_ahead(line);
  if (stores_.empty() || !turns.chance(3)) return;
  // One whose place has no earlier store that is still under way.
  const std::size_t which = turns.below(stores_.size());
  const pending p = stores_[which];
  for (std::size_t i = 0; i < which; ++i)
    if (stores_[i].at < p.at + p.bytes && p.at < stores_[i].at + stores_[i].bytes) return;
  arrive(which);
}

}  // namespace oriel::test_driver::ptx
