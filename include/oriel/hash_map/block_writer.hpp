// Inserts, assigns and adds of a batch in blocks (key_blocks.hpp), in a phase in which no rank
// erases or reads values: where each key of a block goes is looked up without a branch, and then
// one compare-and-swap takes it. What other ranks, or the block itself, have taken meanwhile is
// looked for again from the beginning of the probe sequence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "oriel/hash_map/key_blocks.hpp"
#include "oriel/hash_map/table_action.hpp"

namespace oriel::detail {

template <class Slot>
class block_writer {
 public:
  using key_image = typename Slot::key_image;
  using value_image = typename Slot::value_image;

  // What it does in blocks: where values may be seen before the key, or keys leave, more is needed.
  static constexpr bool does(table_action a) noexcept {
    return a == table_action::insert || a == table_action::assign || a == table_action::add;
  }

  explicit block_writer(const key_blocks<Slot>& blocks) noexcept : blocks_(blocks) {}

  struct outcome {
    std::size_t looked_at;  // keys before the first block that has a reserved one, or before that
    slot_answer answer;     // for which there is no slot: full or stalled
  };
  // Acts on each key with given(i), and calls take(i, answer, value); in turn, but for keys whose
  // first line is full, which stays so: those follow when their next lines have come.
  template <table_action A, class Keys, class Given, class Take>
  outcome run(const Keys& keys, Given& given, Take& take) noexcept {
    static_assert(does(A));
    outcome failed{0, slot_answer::present};
    const std::size_t looked_at = blocks_.template walk<true>(
        keys, [&](const line_block& block, std::size_t from, std::size_t to) noexcept {
          std::array<line_place, lines_of_block> places;
          find_places(block, to - from, places.data());
          for (std::size_t k = 0; k < to - from; ++k) {
            if (places[k].is_full()) {
              later_.add<true>(from + k, block.lines[k]);
            } else {
              value_image value = given(from + k);
              const slot_answer answer = act_in<A>(block, k, places[k], value);
              if (!note(from + k, answer, value, take, failed)) return false;
            }
          }
          return !later_.full() || finish<A>(keys, given, take, failed);
        });
    finish<A>(keys, given, take, failed);  // keys before one that has failed, too
    return failed.answer > slot_answer::present ? failed : outcome{looked_at, slot_answer::present};
  }

 private:
  template <class Take>
  static bool note(std::size_t i, slot_answer answer, const value_image& value, Take& take,
                   outcome& failed) noexcept {
    if (answer > slot_answer::present) [[unlikely]] {
      failed = {i, answer};
      return false;
    }
    take(i, answer, value);
    return true;
  }
  template <table_action A>
  slot_answer act_in(const line_block& block, std::size_t k, line_place place,
                     value_image& value) noexcept {
    host_words slot(block.lines[k] + place.slot() * Slot::words);
    if (place.is_unclear() ||
        (!place.holds() && slot.compare_swap(0, Slot::empty, block.wanted[k]) != Slot::empty))
        [[unlikely]]
      return act_anywhere<A>(key_image{{~block.wanted[k]}}, value);
    if constexpr (A == table_action::add) {
      value.word[0] = slot.add(Slot::value_at, value.word[0]);
    } else if constexpr (A == table_action::assign) {
      slot.replace(Slot::value_at, value.word[0]);
    } else if (!place.holds()) {
      slot.write(Slot::value_at, 1, value.word);
    }
    return place.holds() ? slot_answer::present : slot_answer::absent;
  }
  template <table_action A>
  slot_answer act_anywhere(const key_image& key, value_image& value) noexcept {
    return blocks_.in_its_part(key, [&](auto& part, const key_image& k, std::uint64_t h) {
      return act<A>(part, k, h, value);
    });
  }
  // Returns whether all that were put off had slots.
  template <table_action A, class Keys, class Given, class Take>
  bool finish(const Keys& keys, Given& given, Take& take, outcome& failed) noexcept {
    return later_.finish([&](std::size_t i) noexcept {
      value_image value = given(i);
      const slot_answer answer = act_anywhere<A>(blocks_.image(keys[i]), value);
      return note(i, answer, value, take, failed);
    });
  }

  key_blocks<Slot> blocks_;
  keys_put_off later_;
};

}  // namespace oriel::detail
