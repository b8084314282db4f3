// The operations on one rank's part of a distributed hash table. `Words` accesses its words: by
// load and store (host_words, device_words of the .cuh) or through a window (remote_words).
//
//   load(i)               one word; what was written before its publish is seen, but in a phase
//                         that only inserts into packed slots
//   peeks, peek(i)        whether there is a cheaper look at one word, which promises nothing of
//                         what was written before; a probe sequence peeks, and loads what decides
//   read(i, n, to)        n words, each of them whole
//   write(i, n, from)     likewise
//   publish(i, w)         stores w, with release: after all that this thread wrote before
//   compare_swap(i, e, d), add(i, v), replace(i, v)   atomic; the first two return the word before
//   order()               orders reads and writes before it before those after it
//   tries_first           whether a claim swaps without reading the slot first
//   pause(attempt)        waits a little; false when the caller should give up
//
// Nothing waits inside of an operation: an attempt that meets a slot which another thread writes
// ends, as `stalled`, and is made again from the beginning of the probe sequence. A thread that has
// begun to write a slot finishes it within the attempt. So threads that share a program counter,
// and of which none goes on while others are in a loop (AMD's waves), do not wait for one that
// waits for them.
//
// One compare-and-swap of its slot's first word claims an element. Where other threads may read it
// meanwhile, and in general slots always, the word is `busy` until key and value are written.
// Erasing leaves a tombstone, which only its key takes again, by one compare-and-swap as well. Why
// that is correct:
//
// - One slot a key. A thread that inserts a key visits its probe sequence from the beginning, and
//   stops at its slot, taken or erased, or at the first empty one. Slots never become empty and
//   never change their key, so the slot of a key that has one comes before any empty one; and of
//   two threads that take an empty slot for one key, the second finds it taken.
// - The key of a packed tombstone. Between a read of the first word and one of the hash behind it
//   the slot's key may have returned and been erased again, so the two reads need not belong
//   together. Once the first word has been swapped to `busy` neither changes, and the hash
//   identifies the key; another key's tombstone is then put back. So a thread that finds no slot of
//   the key, and is about to take an empty one, first swaps the tombstones on its way; those of
//   other keys stay theirs. In a phase in which no thread erases, a slot that reads as erased twice
//   has been erased in between.
// - Values of packed slots where others erase. A thread that found the element before it was erased
//   must not write the tombstone, so values change by compare-and-swap there: it fails on a
//   tombstone, since what it expects is not the key's hash. Where it succeeds the slot is its
//   key's, taken or about to be, and the change takes effect at once. Nor does a reader take the
//   hash for the value: a thread that reads the hash swaps the first word to `busy`, which succeeds
//   only where the hash is the value of an element indeed.
// - The tombstones of general slots need nothing but the key. A value of one word that is written
//   to a slot erased meanwhile counts as written just before that, or just after the key's return.
//   Values of several words are written under `busy`, and the version distinguishes them.
// - Loads that do not acquire. In a phase that only inserts, what a thread does with a packed slot
//   that it has found taken is at most one update or store of the value, and whether it makes it
//   depends on the load: no device makes it before. The value that the slot was returned with has
//   been released by then, and lies in the memory where the update is performed.
#pragma once

#include <cstdint>

#include "oriel/detail/device_word.cuh"
#include "oriel/device_marks.hpp"
#include "oriel/hash_map/answer.hpp"
#include "oriel/hash_map/table_layout.hpp"

namespace oriel::detail {

// With the host's `Words` these functions run on the host alone, which a template cannot declare to
// nvcc, so it would warn.
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011, 20014
#endif

template <class Slot, class Words, bool Dense = false>
class hash_part {
  static_assert(!Dense || Slot::packed, "dense tables have packed slots");

 public:
  using key_image = typename Slot::key_image;
  using value_image = typename Slot::value_image;

  ORIEL_DEVICE hash_part(Words words, const table_shape& shape) : words_(words), shape_(shape) {}

  // Requires: no thread writes meanwhile. Visits the first `probes` slots. `value` is written where
  // the key is present.
  ORIEL_DEVICE slot_answer find(const key_image& key, std::uint64_t h, value_image& value,
                                std::uint64_t probes = everywhere) {
    return until_decided([&] {
      const position p = locate(key, h, probes);
      if (p.answer == slot_answer::present) words_.read(p.at + Slot::value_at, width, value.word);
      return p.answer;
    });
  }
  // The same where others write. A value of several words is read between two reads of its state.
  ORIEL_DEVICE slot_answer find_among_writers(const key_image& key, std::uint64_t h,
                                              value_image& value) {
    return until_decided([&] {
      const position p = locate(key, h);
      if (p.answer != slot_answer::present) return p.answer;
      value_image seen;
      words_.read(p.at + Slot::value_at, width, seen.word);
      bool whole = true;
      if (Slot::packed && seen.word[0] == h) [[unlikely]] {
        whole = hold(p);
        if (whole) {
          words_.read(p.at + Slot::value_at, width, seen.word);
          words_.publish(p.at, p.now);  // it was held to be read
        }
      } else if (width > 1) {
        words_.order();  // the value is read before its state is read again
        whole = look(p.at) == p.now;
      }
      if (!whole) return slot_answer::stalled;
      value = seen;
      return slot_answer::present;
    });
  }

  // Leaves the value of a key that is present as it is. `Hidden`: no thread sees the key before its
  // value, which takes packed slots one more store; and others erase.
  template <bool Hidden>
  ORIEL_DEVICE slot_answer insert(const key_image& key, std::uint64_t h, const value_image& value) {
    return until_decided([&] {
      const position p = claim<Hidden>(key, h);
      if (p.answer == slot_answer::absent) fill(p, key, value);
      return p.answer;
    });
  }

  template <bool Hidden>
  ORIEL_DEVICE slot_answer assign(const key_image& key, std::uint64_t h, const value_image& value) {
    return until_decided([&] {
      const position p = claim<Hidden>(key, h);
      if (p.answer == slot_answer::absent) fill(p, key, value);
      if (p.answer != slot_answer::present) return p.answer;
      if (Slot::packed && Hidden) {
        std::uint64_t before;
        if (!change(p, h, before, [&](std::uint64_t) { return value.word[0]; }))
          return slot_answer::stalled;
      } else if (width == 1) {
        words_.replace(p.at + Slot::value_at, value.word[0]);
      } else {
        if (words_.compare_swap(p.at, p.now, Slot::locked(p.now)) != p.now)
          return slot_answer::stalled;
        words_.order();  // no thread sees a new word of the value under the old state
        words_.write(p.at + Slot::value_at, width, value.word);
        words_.publish(p.at, Slot::assigned(p.now));
      }
      return p.answer;
    });
  }

  // Adds to the value's word; a key that is absent had 0. `before` is written unless the table is
  // full or stalled.
  template <bool Hidden>
  ORIEL_DEVICE slot_answer add(const key_image& key, std::uint64_t h, const value_image& operand,
                               value_image& before) {
    static_assert(width == 1, "only integers are added to");
    return until_decided([&] {
      const position p = claim<Hidden>(key, h);
      if (p.answer > slot_answer::present) return p.answer;
      if (p.answer == slot_answer::absent && p.busy) {
        fill(p, key, operand);
        before.word[0] = 0;
      } else if (!Slot::packed || !Hidden) {
        before.word[0] = words_.add(p.at + Slot::value_at, operand.word[0]);
      } else if (!change(p, h, before.word[0],
                         [&](std::uint64_t now) { return now + operand.word[0]; })) {
        return slot_answer::stalled;
      }
      return p.answer;
    });
  }

  ORIEL_DEVICE slot_answer erase(const key_image& key, std::uint64_t h) {
    return until_decided([&] {
      const position p = locate(key, h);
      if (p.answer != slot_answer::present) return p.answer;
      if (!Slot::packed)
        return words_.compare_swap(p.at, p.now, Slot::erased_word(p.now)) == p.now
                   ? p.answer
                   : slot_answer::stalled;
      if (!hold(p)) return slot_answer::stalled;
      words_.write(p.at + Slot::value_at, 1, &h);
      words_.publish(p.at, Slot::erased_word(p.now));
      return p.answer;
    });
  }

 private:
  static constexpr unsigned width = Slot::value_image::size;
  static constexpr std::uint64_t everywhere = ~std::uint64_t{0};
  // The slot of a key, and the first word that was read there. Of one that was claimed: whether it
  // is `busy`, and the word that makes it taken.
  struct position {
    slot_answer answer;
    std::uint64_t at;
    std::uint64_t now;
    bool busy;
  };

  [[nodiscard]] ORIEL_DEVICE std::uint64_t at(std::uint64_t h, std::uint64_t i) const {
    if constexpr (Dense)
      return shape_.dense_probe(h, i) * Slot::words;
    else
      return shape_.template probe<Slot::group>(h, i) * Slot::words;
  }
  [[nodiscard]] ORIEL_DEVICE std::uint64_t all_probes() const {
    return Dense ? shape_.dense_probes() : shape_.mask + 1;
  }
  static ORIEL_DEVICE bool has_marks(std::uint64_t slot) { return Dense && slot % line_words == 0; }
  // Whether probe `i` is the first one behind a line that had neither the key nor an empty slot.
  static ORIEL_DEVICE bool leaves_line(std::uint64_t i) {
    return Dense && i % places_of_line == 0 && i != 0;
  }
  [[nodiscard]] ORIEL_DEVICE std::uint64_t marks_before(std::uint64_t h, std::uint64_t i) const {
    return shape_.dense_line(h, i / places_of_line - 1) * line_words + shape_.mark_at(h);
  }
  ORIEL_DEVICE bool is_marked(std::uint64_t h, std::uint64_t i) {
    return (look(marks_before(h, i)) & shape_.mark_of(h)) != 0;
  }
  ORIEL_DEVICE void mark(std::uint64_t h, std::uint64_t i) {
    const std::uint64_t marks = marks_before(h, i), mine = shape_.mark_of(h);
    for (std::uint64_t now = look(marks); (now & mine) == 0;) {
      const std::uint64_t before = words_.compare_swap(marks, now, now | mine);
      if (before == now) return;
      now = before;
    }
  }
  // Makes attempts until one is not stalled. What an attempt has done it has done before it ends,
  // in the loop: the compiler does not see that some answers end it.
  template <class Attempt>
  ORIEL_DEVICE slot_answer until_decided(Attempt attempt) {
    for (std::uint32_t n = 0;; ++n) {
      const slot_answer answer = attempt();
      if (device::hidden(answer == slot_answer::stalled ? 0 : 1) != 0) [[likely]]
        return answer;
      if (!words_.pause(n)) return slot_answer::stalled;
    }
  }
  ORIEL_DEVICE std::uint64_t look(std::uint64_t slot) {
    if constexpr (Words::peeks)
      return words_.peek(slot);
    else
      return words_.load(slot);
  }
  // Loads a slot that may be the key's, by a look at it: from then on what was written before is
  // seen. Returns whether it is another word by now.
  ORIEL_DEVICE bool changed(std::uint64_t slot, std::uint64_t now, const key_image& key,
                            std::uint64_t h) {
    if (!Words::peeks || !(Slot::matches(now, key, h) || Slot::is_tombstone(now, h))) [[likely]]
      return false;
    return words_.load(slot) != now;
  }
  ORIEL_DEVICE bool holds(std::uint64_t slot, std::uint64_t now, const key_image& key,
                          std::uint64_t h) {
    return Slot::matches(now, key, h) && (Slot::packed || has_key(slot, key));
  }
  ORIEL_DEVICE bool has_seal(std::uint64_t slot, std::uint64_t h) {
    std::uint64_t there;
    words_.read(slot + Slot::value_at, 1, &there);
    return there == h;
  }
  ORIEL_DEVICE bool has_key(std::uint64_t slot, const key_image& key) {
    key_image there;
    words_.read(slot + Slot::key_at, key_image::size, there.word);
    for (unsigned i = 0; i < key_image::size; ++i)
      if (there.word[i] != key.word[i]) return false;
    return true;
  }

  ORIEL_DEVICE position locate(const key_image& key, std::uint64_t h,
                               std::uint64_t probes = everywhere) {
    for (std::uint64_t i = 0; i < probes; ++i) {
      if (i == all_probes() || (leaves_line(i) && !is_marked(h, i)))
        return {slot_answer::absent, 0, 0, false};
      const std::uint64_t slot = at(h, i);
      if (has_marks(slot)) continue;
      const std::uint64_t now = look(slot);
      if (Slot::undecided(now, h) || changed(slot, now, key, h))
        return {slot_answer::stalled, slot, now, false};
      if (holds(slot, now, key, h)) return {slot_answer::present, slot, now, false};
      if (now == Slot::empty) return {slot_answer::absent, slot, now, false};
    }
    return {slot_answer::full, 0, 0, false};
  }

  // absent: the slot is this thread's now, and must be filled.
  template <bool Hidden>
  ORIEL_DEVICE position claim(const key_image& key, std::uint64_t h) {
    constexpr bool busy = Hidden || !Slot::packed;
    const std::uint64_t ready = Slot::ready_word(key, h);
    std::uint64_t doubtful = everywhere;  // the first tombstone that may be the key's after all
    for (std::uint64_t i = 0; i < all_probes(); ++i) {
      if (leaves_line(i)) mark(h, i);
      const std::uint64_t slot = at(h, i);
      if (has_marks(slot)) continue;
      std::uint64_t now = Words::tries_first && doubtful > i ? Slot::empty : look(slot);
      if (now == Slot::empty) {
        if (doubtful < i) [[unlikely]] {
          const position own = revisit<Hidden>(key, h, doubtful, i);
          if (own.answer != slot_answer::full) return own;
          doubtful = everywhere;
        }
        now = words_.compare_swap(slot, Slot::empty, busy ? Slot::busy_word(h) : ready);
        if (now == Slot::empty) return {slot_answer::absent, slot, ready, busy};
      }
      if (Slot::undecided(now, h) || changed(slot, now, key, h))
        return {slot_answer::stalled, slot, now, false};
      if (holds(slot, now, key, h)) return {slot_answer::present, slot, now, false};
      if (!Slot::is_tombstone(now, h)) [[likely]]
        continue;
      // To read a remote tombstone's hash is a round trip, which may not be needed.
      const bool own = Slot::packed ? !Words::tries_first && has_seal(slot, h) : has_key(slot, key);
      if (own && take_again(slot, now, h))
        return {slot_answer::absent, slot, Slot::returned(now, key), true};
      if (!Slot::packed && own) return {slot_answer::stalled, slot, now, false};
      if (Slot::packed && doubtful > i) doubtful = i;
    }
    return doubtful == everywhere ? position{slot_answer::full, 0, 0, false}
                                  : revisit<Hidden>(key, h, doubtful, all_probes());
  }
  // Makes a tombstone `busy`. Returns whether it is the key's, as a general slot's always is.
  ORIEL_DEVICE bool take_again(std::uint64_t slot, std::uint64_t now, std::uint64_t h) {
    if (words_.compare_swap(slot, now, Slot::returning(now)) != now) return false;
    words_.order();  // the seal is read once the slot is `busy`
    if (!Slot::packed || has_seal(slot, h)) return true;
    words_.publish(slot, now);  // another key's
    return false;
  }
  // Finds whether one of the packed tombstones among the slots of probes [from, to) is the key's;
  // their first word and seal were not read at one time. As claim; full: none is or will be.
  template <bool Hidden>
  ORIEL_DEVICE position revisit(const key_image& key, std::uint64_t h, std::uint64_t from,
                                std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      const std::uint64_t slot = at(h, i);
      if (has_marks(slot)) continue;
      const std::uint64_t now = look(slot);
      if (Slot::undecided(now, h) || changed(slot, now, key, h))
        return {slot_answer::stalled, slot, now, false};
      if (holds(slot, now, key, h)) return {slot_answer::present, slot, now, false};
      if (now != Slot::erased) continue;
      // Where no thread erases, a slot that still is a tombstone has been one all the while.
      const bool own = Hidden || has_seal(slot, h);
      words_.order();  // the seal is read before the tombstone is read again
      if (!own) {
        if (look(slot) == now) continue;
        return {slot_answer::stalled, slot, now, false};
      }
      if (words_.compare_swap(slot, now, Slot::busy) != now)
        return {slot_answer::stalled, slot, now, false};
      words_.order();  // it is read under `busy`, as of now
      if (has_seal(slot, h)) return {slot_answer::absent, slot, Slot::returned(now, key), true};
      words_.publish(slot, now);  // another key's, on the way
    }
    return {slot_answer::full, 0, 0, false};
  }

  ORIEL_DEVICE void fill(const position& p, const key_image& key, const value_image& value) {
    if (!Slot::packed) words_.write(p.at + Slot::key_at, key_image::size, key.word);
    words_.write(p.at + Slot::value_at, width, value.word);
    if (p.busy) words_.publish(p.at, p.now);
  }
  // Makes a packed slot that was taken `busy`. Returns false where it no longer is taken.
  ORIEL_DEVICE bool hold(const position& p) {
    if (words_.compare_swap(p.at, p.now, Slot::busy) != p.now) return false;
    words_.order();  // the value is read and written once the slot is `busy`
    return true;
  }
  // Replaces the value of a packed slot that was taken by next(value). Returns false where the slot
  // may be a tombstone now.
  template <class Next>
  ORIEL_DEVICE bool change(const position& p, std::uint64_t h, std::uint64_t& before, Next next) {
    const std::uint64_t at = p.at + Slot::value_at;
    bool held = false;
    words_.read(at, 1, &before);
    for (;;) {
      if (before == h && !held) [[unlikely]] {
        held = hold(p);
        if (!held) return false;
      }
      const std::uint64_t seen = words_.compare_swap(at, before, next(before));
      if (seen == before) break;
      before = seen;
    }
    if (held) words_.publish(p.at, p.now);
    return true;
  }

  Words words_;
  table_shape shape_;
};

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

}  // namespace oriel::detail
