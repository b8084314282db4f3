// hash_map_ref<K, V, P>: a hash map (hash_map.hpp) for kernels, passed to them by value. Host
// compilers compile the same code, for threads in the place of kernels.
//
//   hash_map_ref<K, V, phase_kind::insert_only> table(parts, ranks, slots);
//   insert(table, keys, values, n, failures, stream);       // bulk, from the host
//   ...                                                     // all ranks are done: a barrier
//   __global__ void look(hash_map_ref<K, V, phase_kind::find_only> t, ...) { t.find(key, value); }
//
// `parts` is an array of one base address a rank, in memory that the device reads: the rank's own
// memory and its peers', mapped through their IPC handles. Requires: a part has slots * slot_bytes
// bytes, zeroed before the first phase, at a multiple of 64; its slots are a power of two of at
// least 8. Or, where they are packed, a multiple of 7, which makes a dense table: for each 7 slots
// a part has 128 bytes then, at a multiple of 128. Phases are those of hash_map.hpp. Requires: a
// barrier of all ranks, after their kernels have ended, separates them. Accesses are of system
// scope: host threads and kernels of all ranks may work on one table in one phase where the machine
// has such atomics between them.
//
// Blocks. In a mixed phase, with general slots in any, and where an erased key is inserted again, a
// thread waits, for bounded time, for another one that writes the slot it needs. Threads of one
// warp or wave may wait for each other, also where none of them has progress of its own.
//
// Why it is fast. A find loads two packed slots at once, of 16 bytes each, that lie in one sector
// of 32 bytes, the least that a device fetches; at load 0.5 they decide most finds. One thread has
// one key: cooperating threads would read a whole line at once, of which at this load most would be
// unused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/errc.hpp"
#include "oriel/hash_map/answer.hpp"
#include "oriel/hash_map/device_words.cuh"
#include "oriel/hash_map/in_part.hpp"
#include "oriel/hash_map/options.hpp"
#include "oriel/hash_map/table_layout.hpp"
#include "oriel/hash_map/table_part.hpp"

namespace oriel {

template <class K, class V, phase_kind P, slot_layout L = slot_layout::automatic>
class hash_map_ref {
  using slot = detail::hash_slot<K, V, L>;
  using key_image = typename slot::key_image;
  using value_image = typename slot::value_image;
  static constexpr bool hidden = P == phase_kind::mixed;
  using words = detail::device_words<hidden || !slot::packed>;
  static constexpr bool inserting = P != phase_kind::find_only;

 public:
  using key_type = K;
  using mapped_type = V;
  // What operations return. absent: the key was not in the table (and is now, if inserted);
  // present: it was; full, stalled: failed, as errc::no_mem and errc::timed_out; refused: the key
  // is reserved.
  using answer = slot_answer;
  static constexpr std::size_t slot_bytes = slot::words * 8;

  ORIEL_DEVICE hash_map_ref(std::uint64_t* const* parts, std::uint32_t ranks,
                            std::uint64_t slots_per_rank)
      : parts_(parts), shape_(detail::table_shape::of(slots_per_rank, ranks)) {}

  // --- One element, by one thread ----------------------------------------------------------------
  // Writes `value` where the key is present.
  ORIEL_DEVICE answer find(const K& key, V& value) const requires(P != phase_kind::insert_only) {
    const key_image k = key_image::of(key);
    if (slot::reserved(k)) return answer::refused;
    const std::uint64_t h = detail::hash_of(k);
    value_image found{};
    answer a;
    if constexpr (P == phase_kind::mixed)
      a = in_part<words>(h, [&](auto part) { return part.find_among_writers(k, h, found); });
    else if constexpr (slot::packed)
      a = shape_.is_dense() ? find_dense(k, h, found) : find_packed(k, h, found);
    else
      a = in_part<detail::quiet_words>(h, [&](auto part) { return part.find(k, h, found); });
    if (a == answer::present) value = found.value();
    return a;
  }
  // Inserts a key that is absent; leaves the value of one that is present.
  ORIEL_DEVICE answer insert(const K& key, const V& value) const requires inserting {
    return with(key, [&](auto part, const key_image& k, std::uint64_t h) {
      return part.template insert<hidden>(k, h, value_image::of(value));
    });
  }
  // Gives the key the value.
  ORIEL_DEVICE answer insert_or_assign(const K& key, const V& value) const requires inserting {
    return with(key, [&](auto part, const key_image& k, std::uint64_t h) {
      return part.template assign<hidden>(k, h, value_image::of(value));
    });
  }
  // Adds to the value, which is 0 for a key that was absent; integers wrap. Writes `before` where
  // it returns absent (0 then) or present.
  ORIEL_DEVICE answer fetch_add(const K& key, const V& operand, V& before) const
      requires(inserting&& integral_value<V>) {
    return with(key, [&](auto part, const key_image& k, std::uint64_t h) {
      value_image old{};
      const answer a = part.template add<hidden>(k, h, value_image::of(operand), old);
      if (a <= answer::present) before = old.value();
      return a;
    });
  }
  // Removes the key; present: this call has removed it.
  ORIEL_DEVICE answer erase(const K& key) const requires(P == phase_kind::mixed) {
    return with(key,
                [](auto part, const key_image& k, std::uint64_t h) { return part.erase(k, h); });
  }

 private:
  template <class Words, class Work>
  ORIEL_DEVICE answer in_part(std::uint64_t h, Work work) const {
    return detail::in_part<slot>(Words(parts_[shape_.owner(h)]), shape_, work);
  }
  template <class Work>
  ORIEL_DEVICE answer with(const K& key, Work work) const {
    const key_image k = key_image::of(key);
    if (slot::reserved(k)) return answer::refused;
    const std::uint64_t h = detail::hash_of(k);
    return in_part<words>(h, [&](auto part) { return work(part, k, h); });
  }
  // Reads the key's own slot and the one beside it, which lie in one sector of the device's memory,
  // at once: together they decide most finds at load 0.5.
  ORIEL_DEVICE answer find_packed(const key_image& k, std::uint64_t h, value_image& value) const {
    const std::uint64_t* const part = parts_[shape_.owner(h)];
    const auto pair = [&](std::uint64_t i) {
      return detail::load_pair(part + shape_.template probe<slot::group>(h, i) * slot::words);
    };
    const detail::packed_pair first = pair(0);
    detail::packed_pair now = pair(1);
    if (first.key == slot::empty || slot::matches(first.key, k, h)) now = first;
    for (std::uint64_t i = 2; i <= shape_.mask; ++i) {
      if (now.key == slot::empty || slot::matches(now.key, k, h)) break;
      now = pair(i);
    }
    value.word[0] = now.value;
    return slot::matches(now.key, k, h) ? answer::present : answer::absent;
  }
  // The same of a dense table: the two places of a sector at once, then the line's other sectors,
  // one of which has the marks.
  ORIEL_DEVICE answer find_dense(const key_image& k, std::uint64_t h, value_image& value) const {
    const std::uint64_t* const part = parts_[shape_.owner(h)];
    const std::uint64_t all = shape_.dense_probes() / detail::places_of_line;
    for (std::uint64_t n = 0; n < all; ++n) {
      const std::uint64_t* const line = part + shape_.dense_line(h, n) * detail::line_words;
      bool marked = false;
      for (std::uint64_t i = 0; i < detail::places_of_line; i += 2) {
        const std::uint64_t at = (h ^ i) & (detail::places_of_line - 1);
        detail::packed_pair first = detail::load_pair(line + at * slot::words);
        const detail::packed_pair second = detail::load_pair(line + (at ^ 1) * slot::words);
        if (at <= 1) {  // the marks' sector: its other place is a slot
          const detail::packed_pair marks = at == 0 ? first : second;
          marked = ((shape_.mark_at(h) == 0 ? marks.key : marks.value) & shape_.mark_of(h)) != 0;
          if (at == 0) first = second;
        }
        const bool last = at > 1 && first.key != slot::empty && !slot::matches(first.key, k, h);
        const detail::packed_pair now = last ? second : first;
        value.word[0] = now.value;
        if (slot::matches(now.key, k, h)) return answer::present;
        if (now.key == slot::empty) return answer::absent;
      }
      if (!marked) return answer::absent;
    }
    return answer::absent;
  }

  std::uint64_t* const* parts_;
  detail::table_shape shape_;
};

}  // namespace oriel
