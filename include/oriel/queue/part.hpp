// A rank's part of a queue in a mixed phase, in which pushes and pops come at once: a bounded ring
// on which threads of all ranks work without locks (after D. Vyukov's queue for many producers and
// consumers).
//
// An operation claims positions with a compare-and-swap of its end's counter, once the marks of
// their slots say that the operation before has finished there; moves the elements; and publishes
// the marks with which the next one may begin. It takes effect when it claims. So the part is one
// first-in first-out queue, and full or empty at the moment at which a thread that says so has read
// its end's counter: what is pushed or popped at the other end meanwhile only lets the room grow.
//
// Only a thread between claim and publication holds others up, those that need its slots.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "oriel/queue/layout.hpp"

namespace oriel::detail {

// n positions from `first` on. 0: the part was full, or empty; or nothing came of it.
struct queue_claim {
  std::uint64_t first = 0;
  std::uint64_t n = 0;
  bool stalled = false;  // a slot is not published by the thread that has claimed it
};

// `Words`, on the words of the part: load(i); read(i, n, to) of n; compare_swap(i, expected,
// desired) returns the value before; publish(i, n, from) after which others see these words, and
// what was written before; pause(attempt): false: wait no more; failed(): so are loads.
template <class Words>
class queue_part {
 public:
  // Claimed at once, at most.
  static constexpr std::uint64_t most = 512;

  queue_part(Words words, const queue_layout& layout) noexcept : words_(words), layout_(layout) {}

  // Claims at most n positions, fewer where there is no room for more or others are at work.
  template <queue_end End>
  queue_claim claim(std::uint64_t n) {
    constexpr queue_end other = End == queue_end::tail ? queue_end::head : queue_end::tail;
    std::uint32_t attempt = 0;
    for (std::uint64_t last = 0;;) {
      const std::uint64_t first = words_.load(queue_layout::counter_at(End));
      const std::uint64_t room =
          layout_.room(End, first, words_.load(queue_layout::counter_at(other)));
      if (words_.failed() || room == 0) return {first, 0};
      const std::uint64_t ready = ready_at<End>(first, std::min({n, room, most, layout_.capacity}));
      if (words_.failed()) return {first, 0};
      if (ready > 0) {
        const std::uint64_t before =
            words_.compare_swap(queue_layout::counter_at(End), first, first + ready);
        if (words_.failed()) return {first, 0};
        if (before == first) return {first, ready};
        continue;  // another thread has claimed them
      }
      if (first != last) attempt = 0;
      last = first;
      if (!words_.pause(attempt++)) return {first, 0, true};
    }
  }
  // Lets others have the slots of a claim, whose elements have been moved.
  template <queue_end End>
  void publish(const queue_claim& c) {
    std::array<std::uint64_t, most> marks;
    layout_.each_run(c.first, c.n, [&](auto slot, auto done, auto count) {
      for (std::uint64_t i = 0; i < count; ++i)
        marks[i] = layout_.mark_after(End, c.first + done + i);
      words_.publish(layout_.mark_at(slot), count, marks.data());
    });
  }
  [[nodiscard]] const Words& words() const noexcept { return words_; }

 private:
  // How many of n slots from position p on are ready, up to the first that is not.
  template <queue_end End>
  std::uint64_t ready_at(std::uint64_t p, std::uint64_t n) {
    std::array<std::uint64_t, most> marks;
    std::uint64_t ready = 0;
    layout_.each_run(p, n, [&](auto slot, auto done, auto count) {
      if (ready < done) return;
      words_.read(layout_.mark_at(slot), count, marks.data());
      for (std::uint64_t i = 0; i < count; ++i, ++ready)
        if (marks[i] != layout_.mark_before(End, p + ready)) return;
    });
    return ready;
  }

  Words words_;
  queue_layout layout_;
};

}  // namespace oriel::detail
