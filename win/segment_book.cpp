#include "win/segment_book.hpp"

#include <algorithm>
#include <thread>

#include "oriel/detail/window_view.hpp"

namespace oriel::win {
namespace {

// A record is stored as five words, so that reading one while it changes is no data race.
constexpr std::size_t record_words = sizeof(segment_record) / sizeof(std::uint64_t);
static_assert(sizeof(segment_record) == record_words * sizeof(std::uint64_t));

segment_record load_record(const std::atomic<std::uint64_t>* words, std::size_t i) noexcept {
  const auto* const w = words + i * record_words;
  return {w[0].load(std::memory_order_relaxed), w[1].load(std::memory_order_relaxed),
          static_cast<std::int64_t>(w[2].load(std::memory_order_relaxed)),
          w[3].load(std::memory_order_relaxed), w[4].load(std::memory_order_relaxed)};
}

void store_record(std::atomic<std::uint64_t>* words, std::size_t i,
                  const segment_record& r) noexcept {
  auto* const w = words + i * record_words;
  w[0].store(r.first, std::memory_order_relaxed);
  w[1].store(r.count, std::memory_order_relaxed);
  w[2].store(static_cast<std::uint64_t>(r.offset), std::memory_order_relaxed);
  w[3].store(r.address, std::memory_order_relaxed);
  w[4].store(r.handle, std::memory_order_relaxed);
}

// Whether memory goes on where the record ends.
bool follows(const segment_record& next, const segment_record& r, std::uint64_t extent) noexcept {
  const std::uint64_t bytes = r.count * extent;
  if (next.first != r.first + r.count || next.address != r.address + bytes) return false;
  const bool unmapped = r.offset == detail::unmapped;
  return next.offset == (unmapped ? r.offset : r.offset + static_cast<std::int64_t>(bytes));
}

}  // namespace

const std::atomic<std::uint64_t>* segment_book::words() const noexcept {
  return reinterpret_cast<const std::atomic<std::uint64_t>*>(
      memory_->base() + state_->table.load(std::memory_order_acquire));
}

template <class Read>
auto segment_book::read_consistently(Read read) const noexcept {
  for (;;) {
    const std::uint32_t before = state_->version.load(std::memory_order_acquire);
    if (before % 2 == 0) {
      auto result = read(state_->used.load(std::memory_order_relaxed));
      std::atomic_thread_fence(std::memory_order_acquire);
      if (state_->version.load(std::memory_order_relaxed) == before) return result;
    }
    std::this_thread::yield();
  }
}

std::optional<segment_record> segment_book::find(std::uint64_t first, std::uint64_t count,
                                                 std::uint64_t extent) const noexcept {
  return read_consistently([&](std::uint32_t used) -> std::optional<segment_record> {
    if (used == 0) return std::nullopt;
    const auto* const table = words();
    std::size_t low = 0, high = used;  // the last record that starts at or before `first`
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (load_record(table, middle).first <= first ? low : high) = middle;
    }
    segment_record r = load_record(table, low);
    if (first < r.first || first - r.first > r.count) return std::nullopt;
    while (count > r.count - (first - r.first)) {
      if (++low == used) return std::nullopt;
      const segment_record next = load_record(table, low);
      if (!follows(next, r, extent)) return std::nullopt;
      r.count += next.count;
    }
    return r;
  });
}

std::vector<segment_record> segment_book::all() const {
  return read_consistently([&](std::uint32_t used) {
    std::vector<segment_record> records;
    if (used != 0)
      for (std::size_t i = 0; i < used; ++i) records.push_back(load_record(words(), i));
    return records;
  });
}

segment_book_owner::~segment_book_owner() {
  for (const std::uint64_t table : tables_) memory_->release(table);
}

errc segment_book_owner::add(std::uint64_t address, std::int64_t offset, std::uint64_t count,
                             std::uint64_t extent, segment_record& added) {
  const std::lock_guard hold(mutex_);
  if (count == 0 || address == 0) return errc::rma_attach;
  for (const segment_record& r : records_)
    if (address < r.address + r.count * extent && r.address < address + count * extent)
      return errc::rma_attach;
  if (by_address_ && address % extent != 0) return errc::rma_attach;
  make_room(records_.size() + 1);
  added = {by_address_ ? address / extent : next_first_, count, offset, address, next_handle_};
  const auto later = [](std::uint64_t first, const segment_record& r) { return first < r.first; };
  records_.insert(std::upper_bound(records_.begin(), records_.end(), added.first, later), added);
  next_first_ += count;
  ++next_handle_;
  publish();
  return errc::success;
}

errc segment_book_owner::remove(std::uint64_t handle) {
  const std::lock_guard hold(mutex_);
  if (std::erase_if(records_, [=](const segment_record& r) { return r.handle == handle; }) == 0)
    return errc::rma_attach;
  publish();
  return errc::success;
}

bool segment_book_owner::exposes(std::uint64_t address, std::uint64_t bytes,
                                 std::uint64_t extent) const {
  const std::lock_guard hold(mutex_);
  while (bytes != 0) {
    const auto r = std::find_if(records_.begin(), records_.end(), [&](const segment_record& each) {
      return address - each.address < each.count * extent;  // a huge number where it is before
    });
    if (r == records_.end()) return false;
    const std::uint64_t there = std::min(bytes, r->address + r->count * extent - address);
    address += there;
    bytes -= there;
  }
  return true;
}

void segment_book_owner::make_room(std::size_t records) {
  if (records <= capacity_) return;
  const std::size_t grown = std::max<std::size_t>(16, capacity_ * 2);
  records_.reserve(grown);
  tables_.reserve(tables_.size() + 1);
  tables_.push_back(memory_->allocate(grown * sizeof(segment_record)));
  capacity_ = grown;
}

void segment_book_owner::publish() noexcept {
  const std::uint64_t table = tables_.back();
  auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(memory_->base() + table);
  state_->version.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < records_.size(); ++i) store_record(words, i, records_[i]);
  state_->table.store(table, std::memory_order_release);
  state_->used.store(static_cast<std::uint32_t>(records_.size()), std::memory_order_relaxed);
  state_->version.fetch_add(1, std::memory_order_release);
}

}  // namespace oriel::win
