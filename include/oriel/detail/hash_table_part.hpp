// What is done to one rank's part of a distributed hash table, wherever it lies: `Words` reaches
// its words, by load and store (host_words, the .cuh's device_words) or through a window
// (far_words).
//
//   load(i)               one word; what was published before it was is seen after
//   read(i, n, to)        n words, each of them whole
//   write(i, n, from)     likewise
//   publish(i, w)         stores w once all that this thread wrote before is there
//   compare_swap(i, e, d), add(i, v), replace(i, v)   atomic; the word before
//   order()               what comes before it, reads and writes, is done before what follows
//   tries_first           whether a claim swaps without a look at the slot before
//   pause(attempt)        waits a little; false when it has been long enough to give up
//
// An element is claimed by one compare-and-swap of its slot's first word. Where others may look at
// it meanwhile, and in general slots always, the word is `busy` until key and value are there.
#pragma once

#include <cstdint>

#include "oriel/detail/device_marks.hpp"
#include "oriel/detail/hash_table_layout.hpp"

namespace oriel::detail {

enum class slot_answer : std::uint8_t {
  absent,   // the key is not in the table, or was not until this call put it there
  present,  // it was there
  full,     // no slot is left for it; of a find that looks at a few slots only: not among them
  stalled,  // somebody began to write the slot and has not finished
  refused,  // the key is reserved
};

// With the host's `Words` these functions are the host's alone, which nvcc cannot be told of a
// template and would warn about.
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011, 20014
#endif

template <class Slot, class Words>
class hash_part {
 public:
  using key_image = typename Slot::key_image;
  using value_image = typename Slot::value_image;

  ORIEL_DEVICE hash_part(Words words, const table_shape& shape) : words_(words), shape_(shape) {}

  // Finds run by threads that meet no writer, in the first `probes` slots. `value` is written when
  // the key is present.
  ORIEL_DEVICE slot_answer find(const key_image& key, std::uint64_t h, value_image& value,
                                std::uint64_t probes = everywhere) {
    const place p = locate(key, h, probes);
    if (p.answer == slot_answer::present) words_.read(p.at + Slot::value_at, width, value.word);
    return p.answer;
  }
  // The same where others write. A value of several words is read between two looks at its state.
  ORIEL_DEVICE slot_answer find_among_writers(const key_image& key, std::uint64_t h,
                                              value_image& value) {
    for (std::uint32_t attempt = 0;; ++attempt) {
      const place p = locate(key, h);
      if (p.answer != slot_answer::present) return p.answer;
      value_image seen;
      words_.read(p.at + Slot::value_at, width, seen.word);
      if (width > 1) {
        words_.order();
        if (words_.load(p.at) != p.now) {
          if (!words_.pause(attempt)) return slot_answer::stalled;
          continue;
        }
      }
      value = seen;
      return slot_answer::present;
    }
  }

  // Leaves the value of a key that is present as it is. `Hidden`: nobody sees the key before its
  // value, which takes packed slots one more store.
  template <bool Hidden>
  ORIEL_DEVICE slot_answer insert(const key_image& key, std::uint64_t h, const value_image& value) {
    const place p = claim<Hidden>(key, h);
    if (p.answer == slot_answer::absent) fill<Hidden>(p.at, key, h, value);
    return p.answer;
  }

  template <bool Hidden>
  ORIEL_DEVICE slot_answer assign(const key_image& key, std::uint64_t h, const value_image& value) {
    for (std::uint32_t attempt = 0;; ++attempt) {
      const place p = claim<Hidden>(key, h);
      if (p.answer == slot_answer::absent) fill<Hidden>(p.at, key, h, value);
      if (p.answer != slot_answer::present) return p.answer;
      if (width == 1) {
        words_.replace(p.at + Slot::value_at, value.word[0]);
        return p.answer;
      }
      if (words_.compare_swap(p.at, p.now, Slot::locked(p.now)) == p.now) {
        words_.order();  // nobody sees a new word of the value under the old state
        words_.write(p.at + Slot::value_at, width, value.word);
        words_.publish(p.at, Slot::assigned(p.now));
        return p.answer;
      }
      if (!words_.pause(attempt)) return slot_answer::stalled;
    }
  }

  // Adds to the value's word; a key that is absent had 0. `before` is written unless the table is
  // full or stalled.
  template <bool Hidden>
  ORIEL_DEVICE slot_answer add(const key_image& key, std::uint64_t h, const value_image& operand,
                               value_image& before) {
    static_assert(width == 1, "only integers are added to");
    const place p = claim<Hidden>(key, h);
    if (p.answer == slot_answer::absent && (Hidden || !Slot::packed)) {
      fill<Hidden>(p.at, key, h, operand);
      before.word[0] = 0;
    } else if (p.answer == slot_answer::absent || p.answer == slot_answer::present) {
      before.word[0] = words_.add(p.at + Slot::value_at, operand.word[0]);
    }
    return p.answer;
  }

  ORIEL_DEVICE slot_answer erase(const key_image& key, std::uint64_t h) {
    for (std::uint32_t attempt = 0;; ++attempt) {
      const place p = locate(key, h);
      if (p.answer != slot_answer::present) return p.answer;
      if (words_.compare_swap(p.at, p.now, Slot::erased) == p.now) return slot_answer::present;
      if (!words_.pause(attempt)) return slot_answer::stalled;
    }
  }

 private:
  static constexpr unsigned width = Slot::value_image::size;
  static constexpr std::uint64_t everywhere = ~std::uint64_t{0};
  // The slot of a key, and the first word that was seen there.
  struct place {
    slot_answer answer;
    std::uint64_t at;
    std::uint64_t now;
  };

  [[nodiscard]] ORIEL_DEVICE std::uint64_t at(std::uint64_t h, std::uint64_t i) const {
    return shape_.probe<Slot::group>(h, i) * Slot::words;
  }
  // Waits until a slot that may become the key's has been decided. False: it was not.
  ORIEL_DEVICE bool settle(std::uint64_t slot, std::uint64_t h, std::uint64_t& now) {
    for (std::uint32_t attempt = 0; Slot::undecided(now, h); ++attempt) {
      if (!words_.pause(attempt)) return false;
      now = words_.load(slot);
    }
    return true;
  }
  ORIEL_DEVICE bool holds(std::uint64_t slot, std::uint64_t now, const key_image& key,
                          std::uint64_t h) {
    if (!Slot::matches(now, key, h)) return false;
    if (Slot::packed) return true;
    key_image there;
    words_.read(slot + Slot::key_at, key_image::size, there.word);
    for (unsigned i = 0; i < key_image::size; ++i)
      if (there.word[i] != key.word[i]) return false;
    return true;
  }

  ORIEL_DEVICE place locate(const key_image& key, std::uint64_t h,
                            std::uint64_t probes = everywhere) {
    for (std::uint64_t i = 0; i < probes; ++i) {
      if (i > shape_.mask) return {slot_answer::absent, 0, 0};
      const std::uint64_t slot = at(h, i);
      std::uint64_t now = words_.load(slot);
      if (!settle(slot, h, now)) return {slot_answer::stalled, slot, now};
      if (holds(slot, now, key, h)) return {slot_answer::present, slot, now};
      if (now == Slot::empty) return {slot_answer::absent, slot, now};
    }
    return {slot_answer::full, 0, 0};
  }

  // absent: the slot is this thread's now, and must be filled.
  template <bool Hidden>
  ORIEL_DEVICE place claim(const key_image& key, std::uint64_t h) {
    const std::uint64_t mark =
        Slot::packed && !Hidden ? Slot::ready_word(key, h) : Slot::busy_word(h);
    for (std::uint64_t i = 0; i <= shape_.mask; ++i) {
      const std::uint64_t slot = at(h, i);
      std::uint64_t now = Words::tries_first ? Slot::empty : words_.load(slot);
      if (now == Slot::empty) {
        now = words_.compare_swap(slot, Slot::empty, mark);
        if (now == Slot::empty) return {slot_answer::absent, slot, mark};
      }
      if (!settle(slot, h, now)) return {slot_answer::stalled, slot, now};
      if (holds(slot, now, key, h)) return {slot_answer::present, slot, now};
    }
    return {slot_answer::full, 0, 0};
  }

  template <bool Hidden>
  ORIEL_DEVICE void fill(std::uint64_t slot, const key_image& key, std::uint64_t h,
                         const value_image& value) {
    if (!Slot::packed) words_.write(slot + Slot::key_at, key_image::size, key.word);
    words_.write(slot + Slot::value_at, width, value.word);
    if (Hidden || !Slot::packed) words_.publish(slot, Slot::ready_word(key, h));
  }

  Words words_;
  table_shape shape_;
};

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

}  // namespace oriel::detail
