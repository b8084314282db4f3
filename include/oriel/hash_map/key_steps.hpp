// A batch of keys one after the other, wherever their parts are: each is hashed some keys before
// its turn, and the first line of its probe sequence prefetched where it is mapped here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "oriel/hash_map/table_layout.hpp"

namespace oriel::detail {

template <class Slot>
struct key_step {
  std::uint64_t* part;  // null: on another node, or through the window
  std::uint64_t h;
  typename Slot::key_image key;
};

template <class Slot>
class key_steps {
 public:
  using key_image = typename Slot::key_image;
  using step = key_step<Slot>;
  // As many lines as a core keeps in flight, and some more: docs/HASH_MAP.md has the numbers.
  static constexpr std::size_t ahead = 32;

  // Both outlive it.
  key_steps(const std::vector<std::uint64_t*>& parts, const table_shape& shape) noexcept
      : parts_(&parts), shape_(&shape) {}

  [[nodiscard]] step begin(const key_image& key) const noexcept {
    const std::uint64_t h = hash_of(key);
    return {(*parts_)[shape_->owner(h)], h, key};
  }
  template <class K>
  [[nodiscard]] step begin(const K& key) const noexcept {
    return begin(key_image::of(key));
  }
  // Calls resolve(step, i) for each key in turn, until it returns false.
  template <bool Writes, class Keys, class Resolve>
  void walk(const Keys& keys, Resolve resolve) const noexcept {
    step steps[ahead];
    const std::size_t n = keys.size(), depth = std::min(n, ahead);
    for (std::size_t i = 0; i < n + depth; ++i) {
      if (i >= depth && !resolve(steps[(i - depth) % ahead], i - depth)) return;
      if (i >= n) continue;
      step& s = steps[i % ahead];
      s = begin(keys[i]);
      if (s.part != nullptr) prefetch<Writes>(s.part, s.h & shape_->mask);
    }
  }
  template <bool Writes>
  static void prefetch(const std::uint64_t* part, std::uint64_t slot) noexcept {
    __builtin_prefetch(part + slot * Slot::words, Writes ? 1 : 0);
  }

 private:
  const std::vector<std::uint64_t*>* parts_;
  const table_shape* shape_;
};

// Finds whose first line did not decide.
template <class Slot>
struct steps_put_off {
  steps_put_off() noexcept {}  // NOLINT: the arrays are not cleared
  std::size_t count = 0;
  std::array<key_step<Slot>, key_steps<Slot>::ahead> steps;
  std::array<std::size_t, key_steps<Slot>::ahead> index;

  [[nodiscard]] bool full() const noexcept { return count == steps.size(); }
  void add(const key_step<Slot>& s, std::size_t i) noexcept {
    steps[count] = s;
    index[count++] = i;
  }
  template <class Look>
  void finish(Look& look) noexcept {
    for (std::size_t k = 0; k < count; ++k) look(steps[k], index[k]);
    count = 0;
  }
};

}  // namespace oriel::detail
