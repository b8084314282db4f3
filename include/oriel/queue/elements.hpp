// How elements of a queue are moved to and from the slots of one rank's part.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "oriel/queue/layout.hpp"
#include "oriel/queue/words.hpp"

namespace oriel::detail {

// What an operation at `End` works on: pushes read elements, pops write them.
template <class T, queue_end End>
using queue_element = std::conditional_t<End == queue_end::tail, const T, T>;

template <class T>
class queue_elements {
 public:
  static constexpr std::uint64_t words_of_element = (sizeof(T) + 7) / 8;
  // Whether elements are words as they lie in memory.
  static constexpr bool direct = sizeof(T) % 8 == 0 && alignof(T) % 8 == 0;

  // Between `values` and n slots from `slot` on of a part that is mapped at `part`.
  template <queue_end End>
  static void move(std::uint64_t* part, const queue_layout& layout, std::uint64_t slot,
                   queue_element<T, End>* values, std::uint64_t n) noexcept {
    std::uint64_t* at = part + layout.element_at(slot);
    const std::uint64_t step = sizeof(T) % 8 == 0 ? n : 1;  // elements without gaps
    for (std::uint64_t i = 0; i < n; i += step, at += words_of_element * step) {
      if constexpr (End == queue_end::tail)
        std::memcpy(at, static_cast<const void*>(values + i), step * sizeof(T));
      else
        std::memcpy(static_cast<void*>(values + i), at, step * sizeof(T));
    }
  }

  // Likewise through the window. `Atomic`: with atomic operations, where others' operations on the
  // slots are ordered by marks alone. Values reusable, and results usable, after flush_local.
  template <queue_end End, bool Atomic>
  static status move(queue_window& window, rank owner, const queue_layout& layout,
                     std::uint64_t slot, queue_element<T, End>* values, std::uint64_t n) noexcept {
    if constexpr (direct) {
      using word = std::conditional_t<End == queue_end::tail, const std::uint64_t, std::uint64_t>;
      return transfer<End, Atomic>(
          window, owner, disp{layout.element_at(slot)},
          std::span(reinterpret_cast<word*>(values), n * words_of_element));
    } else {
      constexpr std::uint64_t most = std::max<std::uint64_t>(1, 1024 / words_of_element);
      std::array<std::uint64_t, most * words_of_element> words{};
      status s;
      for (std::uint64_t first = 0; first < n && s.ok(); first += most) {
        const std::uint64_t count = std::min(n - first, most);
        if constexpr (End == queue_end::tail)
          for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(&words[i * words_of_element], static_cast<const void*>(values + first + i),
                        sizeof(T));
        s = transfer<End, Atomic>(window, owner, disp{layout.element_at(slot + first)},
                                  std::span(words).first(count * words_of_element));
        if (const status done = window.flush_local(owner); s.ok()) s = done;
        if (!s.ok()) break;
        if constexpr (End == queue_end::head)
          for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(static_cast<void*>(values + first + i), &words[i * words_of_element],
                        sizeof(T));
      }
      return s;
    }
  }

 private:
  template <queue_end End, bool Atomic, class Words>
  static status transfer(queue_window& window, rank owner, disp at, Words words) noexcept {
    if constexpr (End == queue_end::tail) {
      const std::span<const std::uint64_t> values(words);
      return Atomic ? window.accumulate(atomic_op::replace, owner, at, values)
                    : window.put(owner, at, values);
    } else {
      return Atomic ? window.get_accumulate(atomic_op::no_op, owner, at, {}, words)
                    : window.get(owner, at, words);
    }
  }
};

}  // namespace oriel::detail
