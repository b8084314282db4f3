#include "win/serve/writable_pages.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "session/node/address_map.hpp"
#include "session/node/page_sizes.hpp"

namespace oriel::win {
namespace {

constexpr std::size_t most_known = (std::size_t{32} << 30) / sessions::page, bits_a_word = 64;

// A word of the table of pages elsewhere: 32 of them in the lower half, of which the upper has the
// number, but for what its place in the table says.
struct some_pages {
  std::uint64_t place;
  std::uint64_t named;  // in the upper half
  std::uint64_t bit;

  some_pages(std::uint64_t page, std::size_t table) noexcept
      : place(page / 32 % table),
        named((page / 32 / table + 1) << 32),
        bit(std::uint64_t{1} << page % 32) {}
  [[nodiscard]] bool same(std::uint64_t word) const noexcept { return word >> 32 == named >> 32; }
};

// The kernel makes the page ready to be written, which changes nothing in it; before Linux 5.14,
// and for memory of devices, it does not, and its list of mappings tells. The system call itself:
// programs' allocators may define `madvise`.
bool may_be_written(std::uint64_t begin) noexcept {
  if (syscall(SYS_madvise, begin, sessions::page, MADV_POPULATE_WRITE) == 0) return true;
  if (errno != EINVAL) return false;
  bool writable = false;
  sessions::for_each_mapping(begin, begin + sessions::page,
                             [&writable](const sessions::mapping& m) {
                               writable = m.writable;
                               return false;
                             });
  return writable;
}

}  // namespace

writable_pages::writable_pages(std::span<const std::byte> memory)
    : first_(reinterpret_cast<std::uintptr_t>(memory.data()) / sessions::page),
      bits_(std::min(memory.size() / sessions::page + 2, most_known) / bits_a_word + 1) {}

bool writable_pages::knows(std::uint64_t page) const noexcept {
  const std::uint64_t i = page - first_;  // of a page before it: a large number
  if (i >= bits_.size() * bits_a_word) {
    const some_pages these(page, elsewhere_.size());
    const std::uint64_t word = elsewhere_[these.place].load(std::memory_order_relaxed);
    return these.same(word) && (word & these.bit) != 0;
  }
  return (bits_[i / bits_a_word].load(std::memory_order_relaxed) >> i % bits_a_word & 1) != 0;
}

void writable_pages::note(std::uint64_t page) noexcept {
  const std::uint64_t i = page - first_;
  if (i < bits_.size() * bits_a_word) {
    bits_[i / bits_a_word].fetch_or(std::uint64_t{1} << i % bits_a_word, std::memory_order_relaxed);
    return;
  }
  any_elsewhere_.store(true, std::memory_order_relaxed);
  const some_pages these(page, elsewhere_.size());
  std::atomic<std::uint64_t>& at = elsewhere_[these.place];
  std::uint64_t word = at.load(std::memory_order_relaxed);
  while (!at.compare_exchange_weak(word, (these.same(word) ? word : these.named) | these.bit,
                                   std::memory_order_relaxed)) {
  }
}

void writable_pages::forget() noexcept {
  if (!any_elsewhere_.exchange(false, std::memory_order_relaxed)) return;
  for (std::atomic<std::uint64_t>& word : elsewhere_) word.store(0, std::memory_order_relaxed);
}

bool writable_pages::contain(const std::byte* at, std::size_t bytes) noexcept {
  if (bytes == 0) return true;
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  const std::uint64_t last = (begin + bytes - 1) / sessions::page;
  for (std::uint64_t n = begin / sessions::page; n <= last; ++n) {
    if (knows(n)) continue;
    if (!may_be_written(n * sessions::page)) return false;
    note(n);
  }
  return true;
}

bool writable_pages::contain(const std::byte* at, std::ptrdiff_t stride, std::size_t bytes,
                             std::size_t blocks) noexcept {
  if (blocks == 0) return true;
  const auto to_last = static_cast<std::ptrdiff_t>(blocks - 1) * stride;
  constexpr auto page = static_cast<std::ptrdiff_t>(sessions::page);
  // No page lies between two blocks.
  if (stride >= -page && stride <= page)
    return contain(to_last < 0 ? at + to_last : at,
                   static_cast<std::size_t>(to_last < 0 ? -to_last : to_last) + bytes);
  for (std::size_t b = 0; b < blocks; ++b)
    if (!contain(at + static_cast<std::ptrdiff_t>(b) * stride, bytes)) return false;
  return true;
}

}  // namespace oriel::win
