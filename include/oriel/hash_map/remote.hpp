// Finds on remote ranks, many in flight: one get fetches the line of slots of a probe, and one
// flush waits for the lines of a whole batch. Requires: no rank writes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "oriel/hash_map/table_layout.hpp"
#include "oriel/hash_map/table_words.hpp"

namespace oriel::detail {

template <class Slot, bool Dense>
class remote_finder {
 public:
  using key_image = typename Slot::key_image;
  using value_image = typename Slot::value_image;

  remote_finder(hash_map_window& window, const table_shape& shape) noexcept
      : window_(&window), shape_(shape) {}

  // Calls found(index, value) for each key that is present, in a later `add` or in `finish`.
  template <class Found>
  void add(std::size_t index, const key_image& key, std::uint64_t h, Found& found) noexcept {
    searches_[count_++] = {key, h, 0, index};
    if (count_ == depth) finish(found);
  }

  template <class Found>
  void finish(Found& found) noexcept {
    while (count_ > 0) {
      for (unsigned s = 0; s < count_; ++s) {
        lines_[s].fill(0);
        const std::uint64_t first = first_slot(searches_[s]);
        static_cast<void>(
            window_->get(owner(searches_[s]), disp{first * Slot::words}, std::span(lines_[s])));
      }
      static_cast<void>(window_->flush_local_all());
      unsigned left = 0;
      for (unsigned s = 0; s < count_; ++s)
        if (!look(searches_[s], lines_[s], found)) searches_[left++] = searches_[s];
      count_ = left;
    }
  }

 private:
  static constexpr unsigned group = Dense ? places_of_line : Slot::group;
  static constexpr unsigned words_of_line = group * Slot::words;
  // Enough to hide a round trip, in 32 KiB of stack.
  static constexpr unsigned depth = std::clamp(4096u / words_of_line, 4u, 256u);
  using line = std::array<std::uint64_t, words_of_line>;
  struct search {
    key_image key;
    std::uint64_t h;
    std::uint64_t probe;
    std::size_t index;
  };

  [[nodiscard]] rank owner(const search& s) const noexcept {
    return rank{static_cast<std::int32_t>(shape_.owner(s.h))};
  }
  [[nodiscard]] std::uint64_t first_slot(const search& s) const noexcept {
    return place(s) & ~std::uint64_t{group - 1};
  }
  [[nodiscard]] std::uint64_t place(const search& s) const noexcept {
    if constexpr (Dense)
      return shape_.dense_probe(s.h, s.probe);
    else
      return shape_.template probe<Slot::group>(s.h, s.probe);
  }
  // Whether the search is over.
  template <class Found>
  bool look(search& s, const line& slots, Found& found) noexcept {
    const std::uint64_t first = first_slot(s);
    for (unsigned i = 0; i < group; ++i, ++s.probe) {
      const std::uint64_t in_line = place(s) - first;
      if (Dense && in_line == 0) continue;  // marks
      const std::uint64_t* const slot = slots.data() + in_line * Slot::words;
      if (slot[0] == Slot::empty) return true;
      const std::uint64_t* const key = slot + Slot::key_at;
      if (!Slot::matches(slot[0], s.key, s.h)) continue;
      if (!Slot::packed && !std::equal(key, key + key_image::size, s.key.word)) continue;
      value_image value;
      std::copy_n(slot + Slot::value_at, value_image::size, value.word);
      found(s.index, value);
      return true;
    }
    if constexpr (Dense)
      return (slots[shape_.mark_at(s.h)] & shape_.mark_of(s.h)) == 0 ||
             s.probe == shape_.dense_probes();
    else
      return s.probe > shape_.mask;
  }

  hash_map_window* window_;
  table_shape shape_;
  unsigned count_ = 0;
  std::array<search, depth> searches_;
  std::array<line, depth> lines_;
};

// Storage of an object that is constructed when it is first needed. Unlike an empty std::optional,
// which compilers clear, it costs nothing until then. Requires: a trivial destructor.
template <class T>
class made_late {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  made_late() noexcept {}  // NOLINT: the room is not cleared
  template <class... Args>
  T& get(Args&... args) noexcept {
    if (made_ == nullptr) made_ = new (room_) T(args...);
    return *made_;
  }
  [[nodiscard]] T* made() const noexcept { return made_; }

 private:
  alignas(T) std::byte room_[sizeof(T)];
  T* made_ = nullptr;
};

}  // namespace oriel::detail
