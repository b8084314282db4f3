#include "transport/own_buffers.hpp"

#include <algorithm>
#include <new>

namespace oriel::transport {
namespace {

std::uintptr_t address_of(const void* p) noexcept {
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace

void own_buffers::insert(table& t, const void* begin, std::size_t bytes) noexcept {
  try {
    t.emplace(address_of(begin), block{address_of(begin), bytes, nullptr});
  } catch (const std::bad_alloc&) {
    // See add.
  }
}

void own_buffers::add(const void* begin, std::size_t bytes) noexcept {
  const std::unique_lock hold(mutex_);
  if (!blocks_.contains(address_of(begin))) insert(blocks_, begin, bytes);
}

void own_buffers::remove(const void* begin) noexcept {
  registration last;  // is closed after the lock
  const std::unique_lock hold(mutex_);
  const auto found = blocks_.find(address_of(begin));
  if (found == blocks_.end()) return;
  last = std::move(found->second.region);
  blocks_.erase(found);
}

void own_buffers::lend(const void* begin, std::size_t bytes) noexcept {
  const std::unique_lock hold(mutex_);
  longest_loan_ = std::max(longest_loan_, bytes);
  insert(lent_, begin, bytes);
}

void own_buffers::end_loan(const void* begin, std::size_t bytes) noexcept {
  registration last;  // likewise
  const std::unique_lock hold(mutex_);
  const auto [first, end] = lent_.equal_range(address_of(begin));
  const auto found =
      std::find_if(first, end, [bytes](const auto& l) { return l.second.bytes == bytes; });
  if (found == end) return;
  last = std::move(found->second.region);
  lent_.erase(found);
}

// Of loans those that begin before `at` and may reach it are looked at, from the nearest on; one
// that is registered is preferred.
own_buffers::block* own_buffers::holder(const void* at, std::size_t bytes) noexcept {
  const std::uintptr_t begin = address_of(at);
  if (auto next = blocks_.upper_bound(begin); next != blocks_.begin())
    if (block& own = std::prev(next)->second; own.holds(begin, bytes)) return &own;
  block* any = nullptr;
  for (auto next = lent_.upper_bound(begin); next != lent_.begin();) {
    block& loan = (--next)->second;
    if (begin - loan.begin > longest_loan_) break;
    if (!loan.holds(begin, bytes)) continue;
    if (loan.region != nullptr) return &loan;
    if (any == nullptr || any->refused) any = &loan;
  }
  return any;
}

}  // namespace oriel::transport
