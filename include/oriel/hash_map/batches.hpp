// How keys are worked on, one or a batch of them: in blocks where all parts are mapped here, else
// one after the other, those of other nodes collected for their owners. Parts that are mapped
// here are sparse (table_layout.hpp). Batches are not sorted by
// owner: that would add a pass over the keys and gain nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oriel/detail/first_failure.hpp"
#include "oriel/hash_map/block_finder.hpp"
#include "oriel/hash_map/block_writer.hpp"
#include "oriel/hash_map/far_service.hpp"
#include "oriel/hash_map/in_part.hpp"
#include "oriel/hash_map/key_steps.hpp"
#include "oriel/hash_map/options.hpp"
#include "oriel/hash_map/remote.hpp"
#include "oriel/hash_map/table_line.hpp"
#include "oriel/hash_map/words.hpp"

namespace oriel::detail {

template <class Slot>
class hash_map_batches {
 public:
  using key_image = typename Slot::key_image;
  using value_image = typename Slot::value_image;

  // All outlive it.
  hash_map_batches(hash_map_window& window, const table_shape& shape, first_failure& failure)
      : window_(window), shape_(shape), failure_(failure) {}
  hash_map_batches(const hash_map_batches&) = delete;
  hash_map_batches& operator=(const hash_map_batches&) = delete;

  // Of the next rank; null: on another node, or reached through the window.
  void add_part(std::uint64_t* part) {
    parts_.push_back(part);
    all_mapped_ = all_mapped_ && part != nullptr;
  }
  // Where that can be had, owners on other nodes are called from now on.
  void serve_others() { calls_ = window_.any().serve_calls(service_.calls()); }
  [[nodiscard]] rank owner(std::uint64_t h) const noexcept {
    return rank{static_cast<std::int32_t>(shape_.owner(h))};
  }

  // --- One key -----------------------------------------------------------------------------------
  // As the batches below, without their prefetching. `value` goes in and comes out as act()'s.
  template <table_action A>
  bulk_result run_one(const key_image& key, slot_answer counted, value_image& value) noexcept {
    if (Slot::reserved(key)) [[unlikely]]
      return {0, refuse_reserved(key)};
    const step s = steps_.begin(key);
    slot_answer answer = slot_answer::absent;
    bulk_result result;
    if (s.part != nullptr) [[likely]] {
      hash_part<Slot, host_words> part(host_words(s.part), shape_);
      answer = act<A>(part, key, s.h, value);
    } else if (calls_) {
      far_calls<Slot> far(window_.any(), A, 1);
      keep(result, far.add(place(s.h), key, value, 0));
      keep(result, far.finish([&](rank, std::size_t, slot_answer a, const value_image& v) {
        answer = a;
        value = v;
      }));
      if (!result.outcome.ok()) return result;
    } else {
      answer = in_part<Slot>(remote_words(window_, owner(s.h)), shape_,
                             [&](auto part) { return act<A>(part, key, s.h, value); });
      keep(result, window_.flush_all());
    }
    result.count = answer == counted ? 1 : 0;
    if (answer > slot_answer::present) [[unlikely]]
      result.outcome = give_up(answer, owner(s.h));
    return result;
  }
  // Requires: no rank writes. `value` is written where the key is present.
  bulk_result find_one(const key_image& key, value_image& value) noexcept {
    const step s = steps_.begin(key);
    if (s.part != nullptr && !Slot::reserved(key)) [[likely]] {
      const slot_answer answer =
          hash_part<Slot, host_words>(host_words(s.part), shape_).find(key, s.h, value);
      if (answer <= slot_answer::present) [[likely]]
        return {answer == slot_answer::present ? std::size_t{1} : 0, {}};
    }
    return find_singly(std::span(&key, 1),
                       [&value](std::size_t, const value_image& v) { value = v; });
  }

  // --- Batches -----------------------------------------------------------------------------------
  // Acts on each key with given(i), calls take(i, answer, value), counts the `counted` answers.
  template <table_action A, class Keys, class Given, class Take>
  bulk_result run(Keys keys, slot_answer counted, Given given, Take take) noexcept {
    if constexpr (Slot::packed)
      if constexpr (block_writer<Slot>::does(A))
        if (all_mapped_) return run_in_blocks<A>(keys, counted, given, take);
    return run_singly<A>(keys, counted, given, take);
  }

  // Requires: no rank writes. Calls found(index, value) for each key that is present, or
  // found.block() for many at once (block_finder.hpp).
  template <class Keys, class Found>
  bulk_result find(Keys keys, Found found) noexcept {
    if constexpr (Slot::packed)
      if (all_mapped_) return find_in_blocks(keys, found);
    return find_singly(keys, found);
  }

 private:
  using step = key_step<Slot>;

  // Up to a block with a reserved key; from there on singly, to end at that.
  template <class Keys, class Found>
  bulk_result find_in_blocks(Keys keys, Found& found) noexcept {
    const auto done = block_finder<Slot>({parts_, shape_}).find(keys, found);
    if (done.looked_at == keys.size()) [[likely]]
      return {done.present, {}};
    const bulk_result rest = find_singly(
        keys.subspan(done.looked_at),
        [&](std::size_t i, const value_image& value) { found(done.looked_at + i, value); });
    return {done.present + rest.count, rest.outcome};
  }
  template <table_action A, class Keys, class Given, class Take>
  bulk_result run_in_blocks(Keys keys, slot_answer counted, Given& given, Take& take) noexcept {
    bulk_result result;
    const auto note = [&](std::size_t i, slot_answer answer, const value_image& value) {
      result.count += answer == counted ? 1 : 0;
      take(i, answer, value);
    };
    const auto done = block_writer<Slot>({parts_, shape_}).template run<A>(keys, given, note);
    if (done.answer > slot_answer::present) [[unlikely]] {
      keep(result, give_up(done.answer, owner(steps_.begin(keys[done.looked_at]).h)));
      return result;
    }
    if (done.looked_at == keys.size()) [[likely]]
      return result;
    const bulk_result rest = run_singly<A>(
        keys.subspan(done.looked_at), counted,
        [&](std::size_t i) { return given(done.looked_at + i); },
        [&](std::size_t i, slot_answer answer, const value_image& value) {
          take(done.looked_at + i, answer, value);
        });
    return {result.count + rest.count, rest.outcome};
  }
  template <table_action A, class Keys, class Given, class Take>
  bulk_result run_singly(Keys keys, slot_answer counted, Given given, Take take) noexcept {
    bulk_result result;
    bool remote = false;
    far_calls<Slot> far(window_.any(), A, keys.size());
    const auto note = [&](std::size_t i, slot_answer answer, const value_image& value) {
      result.count += answer == counted ? 1 : 0;
      take(i, answer, value);
    };
    const auto resolve = [&](const step& s, std::size_t i) {
      value_image value = given(i);
      slot_answer answer;
      if (s.part != nullptr) [[likely]] {
        hash_part<Slot, host_words> part(host_words(s.part), shape_);
        answer = act<A>(part, s.key, s.h, value);
      } else if (calls_) {
        call(far, s, value, i, result, note);
        return slot_answer::absent;
      } else {
        remote = true;
        answer = in_part<Slot>(remote_words(window_, owner(s.h)), shape_,
                               [&](auto part) { return act<A>(part, s.key, s.h, value); });
      }
      note(i, answer, value);
      return answer;
    };
    pipeline<writes(A)>(keys, result, resolve);
    finish(far, result, note);
    if (remote) keep(result, window_.flush_all());
    return result;
  }

  // Finds keys one after the other, wherever they are, until one is reserved. A key that is not in
  // its first line of slots is deferred until there are several such, with their next lines
  // prefetched.
  template <class Keys, class Found>
  bulk_result find_singly(Keys keys, Found found) noexcept {
    if constexpr (Slot::packed)
      if (shape_.is_dense()) return find_singly_in<true>(keys, found);
    return find_singly_in<false>(keys, found);
  }
  template <bool Dense, class Keys, class Found>
  bulk_result find_singly_in(Keys keys, Found found) noexcept {
    bulk_result result;
    const auto count = [&](std::size_t i, const value_image& value) {
      ++result.count;
      found(i, value);
    };
    const auto first_line = [&](const step& s, value_image& value) {
      if constexpr (Slot::packed)
        return find_in_line<Slot>(line_of<Slot>(s.part, shape_, s.h), s.key, value);
      else
        return hash_part<Slot, host_words>(host_words(s.part), shape_)
            .find(s.key, s.h, value, Slot::group);
    };
    const auto wherever = [&](const step& s, std::size_t i) {
      value_image value;
      if (hash_part<Slot, host_words>(host_words(s.part), shape_).find(s.key, s.h, value) ==
          slot_answer::present)
        count(i, value);
    };
    steps_put_off<Slot> later;
    made_late<remote_finder<Slot, Dense>> remote;
    far_calls<Slot> far(window_.any(), table_action::find, keys.size());
    const auto note = [&](std::size_t i, slot_answer answer, const value_image& value) {
      if (answer == slot_answer::present) count(i, value);
    };
    const auto resolve = [&](const step& s, std::size_t i) {
      if (s.part == nullptr && calls_) [[unlikely]] {
        call(far, s, value_image{}, i, result, note);
        return slot_answer::absent;
      }
      if (s.part == nullptr) [[unlikely]] {
        remote.get(window_, shape_).add(i, s.key, s.h, count);
        return slot_answer::absent;
      }
      value_image value;
      const slot_answer answer = first_line(s, value);
      if (answer == slot_answer::present) [[likely]] {
        count(i, value);
      } else if (answer == slot_answer::full) {
        key_steps<Slot>::template prefetch<false>(
            s.part, shape_.template probe<Slot::group>(s.h, Slot::group));
        later.add(s, i);
        if (later.full()) later.finish(wherever);
      }
      return slot_answer::absent;
    };
    pipeline<false>(keys, result, resolve);
    later.finish(wherever);
    finish(far, result, note);
    if (remote.made() != nullptr) {
      remote.made()->finish(count);
      keep(result, window_.flush_all());
    }
    return result;
  }

  // Of a batch: has the key's owner, on another node, act with the others that were added.
  template <class Note>
  void call(far_calls<Slot>& far, const step& s, const value_image& value, std::size_t i,
            bulk_result& result, Note& note) noexcept {
    keep(result, far.add(place(s.h), s.key, value, i));
    if (far.full()) finish(far, result, note);
  }
  template <class Note>
  void finish(far_calls<Slot>& far, bulk_result& result, Note& note) noexcept {
    const auto take = [&](rank r, std::size_t i, slot_answer answer, const value_image& value) {
      if (answer > slot_answer::present) [[unlikely]]
        return keep(result, give_up(answer, r));
      note(i, answer, value);
    };
    if (far.any()) keep(result, far.finish(take));
  }
  // Resolves keys in turn, until one is reserved or has no slot.
  template <bool Writes, class Keys, class Resolve>
  void pipeline(const Keys& keys, bulk_result& result, Resolve& resolve) noexcept {
    steps_.template walk<Writes>(keys, [&](const step& s, std::size_t i) noexcept {
      if (Slot::reserved(s.key)) [[unlikely]] {
        keep(result, refuse_reserved(s.key));
        return false;
      }
      const slot_answer answer = resolve(s, i);
      if (answer > slot_answer::present) [[unlikely]] {
        keep(result, give_up(answer, owner(s.h)));
        return false;
      }
      return true;
    });
  }

  // Where the search for a key of this hash begins.
  [[nodiscard]] owner_call_place place(std::uint64_t h) const noexcept {
    return {owner(h), disp{(h & shape_.mask) * Slot::words}};
  }
  static void keep(bulk_result& result, status s) noexcept {
    if (result.outcome.ok()) result.outcome = s;
  }
  [[gnu::cold]] errc refuse_reserved(const key_image& key) noexcept {
    return failure_.note(errc::arg, reserved_key_words(key.word[0]));
  }
  [[gnu::cold]] errc give_up(slot_answer answer, rank r) noexcept {
    return answer == slot_answer::full
               ? failure_.note(errc::no_mem, full_part_words(r.value, shape_.slots()))
               : failure_.note(errc::timed_out, unfinished_slot_words(r.value));
  }

  hash_map_window& window_;
  const table_shape& shape_;
  first_failure& failure_;
  std::vector<std::uint64_t*> parts_;  // by rank
  bool all_mapped_ = true;             // none is null
  key_steps<Slot> steps_{parts_, shape_};
  far_service<Slot> service_{parts_, shape_};
  bool calls_ = false;  // owners on other nodes are called
};

}  // namespace oriel::detail
