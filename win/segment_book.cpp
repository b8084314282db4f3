#include "win/segment_book.hpp"

#include <algorithm>

#include "oriel/detail/window_view.hpp"

namespace oriel::win {
namespace {

// Whether memory goes on where the record ends.
bool follows(const segment_record& next, const segment_record& r, std::uint64_t extent) noexcept {
  const std::uint64_t bytes = r.count * extent;
  if (next.first != r.first + r.count || next.address != r.address + bytes) return false;
  const bool unmapped = r.offset == detail::unmapped;
  return next.offset == (unmapped ? r.offset : r.offset + static_cast<std::int64_t>(bytes));
}

// Of [first, first + count), the record as segment_book::find gives it. False when the snapshot is
// no longer good.
bool find_in(const segment_snapshot& records, std::uint64_t first, std::uint64_t count,
             std::uint64_t extent, std::optional<segment_record>& found) noexcept {
  segment_snapshot::cursor at;
  segment_record r;
  found.reset();
  if (!records.seek(first, at)) return false;
  if (!at.at_record()) return true;
  if (!records.read(at, r)) return false;
  if (first - r.first > r.count) return true;
  while (count > r.count - (first - r.first)) {
    segment_record next;
    bool more = false;
    if (!records.advance(at, more)) return false;
    if (!more) return true;
    if (!records.read(at, next)) return false;
    if (!follows(next, r, extent)) return true;
    r.count += next.count;
  }
  found = r;
  return true;
}

}  // namespace

std::optional<segment_record> segment_book::find(std::uint64_t first, std::uint64_t count,
                                                 std::uint64_t extent) const noexcept {
  std::optional<segment_record> found;
  while (!find_in(now(), first, count, extent, found)) {
  }
  return found;
}

std::vector<segment_record> segment_book::from(std::uint64_t from, std::size_t most) const {
  std::vector<segment_record> found;
  // Each round goes on behind what the last one has found.
  for (bool complete = false; !complete;) {
    const segment_snapshot records = now();
    segment_snapshot::cursor at;
    bool more = true;
    bool good = records.seek(from, at);
    while (good && more && found.size() < most) {
      segment_record r;
      if (at.at_record()) {
        good = records.read(at, r);
        if (good && r.first >= from) {
          found.push_back(r);
          from = r.first + r.count;
        }
      }
      if (good) good = records.advance(at, more);
    }
    complete = good;
  }
  return found;
}

std::uint64_t segment_book_owner::end_of_last(std::uint64_t address, std::uint64_t extent) const {
  if (!by_address_) {
    const auto after = ends_.upper_bound(address);
    return after == ends_.begin() ? 0 : std::prev(after)->second;
  }
  // No other thread writes, so what is read is consistent.
  const segment_snapshot now = records_.now();
  segment_snapshot::cursor at;
  segment_record r;
  if (!now.seek(address / extent, at) || !at.at_record() || !now.read(at, r)) return 0;
  return r.address + r.count * extent;
}

errc segment_book_owner::add(std::uint64_t address, std::int64_t offset, std::uint64_t count,
                             std::uint64_t extent, segment_record& added) {
  const std::lock_guard hold(mutex_);
  const std::uint64_t end = address + count * extent;
  if (count == 0 || address == 0 || end < address) return errc::rma_attach;
  if (by_address_ && address % extent != 0) return errc::rma_attach;
  if (end_of_last(end - 1, extent) > address) return errc::rma_attach;
  while (by_handle_.contains(next_handle_)) ++next_handle_;
  added = {by_address_ ? address / extent : next_first_, count, offset, address, next_handle_};
  const auto handle = by_handle_.emplace(next_handle_, attached{added.first, address}).first;
  try {
    if (!by_address_) ends_.emplace(address, end);
    records_.insert(added);
  } catch (...) {
    ends_.erase(address);
    by_handle_.erase(handle);
    throw;
  }
  next_first_ += count;
  ++next_handle_;
  return errc::success;
}

errc segment_book_owner::remove(std::uint64_t handle) {
  const std::lock_guard hold(mutex_);
  const auto known = by_handle_.find(static_cast<std::uint32_t>(handle));
  if (known == by_handle_.end()) return errc::rma_attach;
  records_.erase(known->second.first);
  ends_.erase(known->second.address);
  by_handle_.erase(known);
  return errc::success;
}

bool segment_book_owner::exposes(std::uint64_t address, std::uint64_t bytes,
                                 std::uint64_t extent) const {
  const std::lock_guard hold(mutex_);
  const std::uint64_t end = address + bytes;
  if (end < address) return false;
  while (address < end) {
    const std::uint64_t there = end_of_last(address, extent);
    if (there <= address) return false;
    address = there;
  }
  return true;
}

}  // namespace oriel::win
