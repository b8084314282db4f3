// The memory that the processes of a run share: where each piece of it lies, and what its bytes are
// called by. Asked about at each access of memory, most of which are of other memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace oriel::sim {

class shared_regions {
 public:
  struct region {
    const std::byte* first;
    std::size_t bytes;
    std::string name;
    const std::byte* stands_for;
    bool released = false;  // nobody may access it any more
    [[nodiscard]] bool holds(const void* at) const noexcept { return lies_in(at, first, bytes); }
    // Alike for all places of what is mapped in several.
    [[nodiscard]] const std::byte* name_of(const void* at) const noexcept {
      return stands_for + (static_cast<const std::byte*>(at) - first);
    }
    [[nodiscard]] bool names(const void* at) const noexcept {
      return lies_in(at, stands_for, bytes);
    }
  };

  void add(region r) {
    if (all_.empty()) first_ = r.first;
    first_ = std::min(first_, r.first);
    behind_ = std::max(behind_, r.first + r.bytes);
    all_.push_back(std::move(r));
    forget_pages();
  }
  void remove(const void* first) {
    std::erase_if(all_, [first](const region& r) { return r.first == first; });
    forget_pages();
  }
  void release(const void* first) noexcept {
    for (region& r : all_) r.released = r.released || r.first == first;
  }

  // The one that holds the byte; null where none does.
  [[nodiscard]] const region* at(const void* byte) const noexcept {
    if (byte < first_ || byte >= behind_) return nullptr;
    const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(byte) / page_bytes;
    page& known = pages_[number % pages_.size()];
    if (known.number == number) return known.in;
    const region* const found = find(byte);
    if (is_whole(number, found)) known = {number, found};
    return found;
  }
  // The one that calls a byte so.
  [[nodiscard]] const region* named(const void* name) const noexcept {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [name](const region& r) { return r.names(name); });
    return found == all_.end() ? nullptr : &*found;
  }
  // In the order in which they were added.
  [[nodiscard]] std::size_t number_of(const region& r) const noexcept {
    return static_cast<std::size_t>(&r - all_.data());
  }

 private:
  static constexpr std::uintptr_t page_bytes = 4096;
  struct page {
    std::uintptr_t number = 0;  // no memory is there
    const region* in = nullptr;
  };

  static bool lies_in(const void* at, const std::byte* first, std::size_t bytes) noexcept {
    const auto* const p = static_cast<const std::byte*>(at);
    return p >= first && p < first + bytes;
  }
  [[nodiscard]] const region* find(const void* byte) const noexcept {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [byte](const region& r) { return r.holds(byte); });
    return found == all_.end() ? nullptr : &*found;
  }
  // Whether all bytes of the page are in the same region, or all are in none.
  [[nodiscard]] bool is_whole(std::uintptr_t number, const region* in) const noexcept {
    const auto* const first = reinterpret_cast<const std::byte*>(number * page_bytes);
    if (in != nullptr) return in->holds(first) && in->holds(first + page_bytes - 1);
    return std::none_of(all_.begin(), all_.end(), [first](const region& r) {
      return r.first < first + page_bytes && first < r.first + r.bytes;
    });
  }
  void forget_pages() noexcept { pages_.fill({}); }

  std::vector<region> all_;
  // All of them lie between.
  const std::byte* first_ = nullptr;
  const std::byte* behind_ = nullptr;
  // Pages that were asked about last, each at its place.
  mutable std::array<page, 1024> pages_{};
};

}  // namespace oriel::sim
