// A hash map's window, and how a batch of keys is worked through: the slots of several keys ahead
// are prefetched on ranks that are mapped here, and keys of other nodes are collected for their
// owners. Batches are not sorted by owner: that would add a pass over the keys and gain nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "oriel/detail/failure_note.hpp"
#include "oriel/hash_map/agreement.hpp"
#include "oriel/hash_map/far_service.hpp"
#include "oriel/hash_map/remote.hpp"
#include "oriel/hash_map/table_line.hpp"
#include "oriel/hash_map/table_part.hpp"
#include "oriel/hash_map/words.hpp"

namespace oriel::detail {

template <class Slot>
class hash_map_state {
 public:
  using key_image = typename Slot::key_image;
  using value_image = typename Slot::value_image;

  hash_map_state(const team& members, std::uint64_t expected, const hash_map_options& options)
      : members_(members),
        name_(options.name),
        shape_{agreed_slots(members, expected, options) - 1,
               static_cast<std::uint64_t>(members.size())},
        loads_(host_loads(options.memory_kind)),
        window_(hash_map_window::allocate(
            members, part_words() + base_words(),
            loads_ ? hash_map_promise | assertion::node_load_store : hash_map_promise,
            // Large parts begin on a huge page, and every part on a cache line.
            {.name = options.name,
             .hints = {{"alloc_shared_noncontig", "true"}, {"mpi_minimum_memory_alignment", "64"}},
             .memory_kind = options.memory_kind,
             .ops = atomic_op::sum | atomic_op::replace | atomic_op::no_op})),
        epoch_(window_.lock_all()) {
    epoch_.opened().or_throw();
    for (int r = 0; r < members.size(); ++r) {
      const bool on_node = loads_ && window_.any().view().segments[r].offset != unmapped;
      parts_.push_back(on_node ? base(rank{r}) : nullptr);
    }
    try_atomics(window_, loads_, name_, options.memory_kind);
    write_bases();
    calls_ = loads_ && window_.any().serve_calls(service_.calls());
    clear();  // after which all serve
  }

  // --- Phases ------------------------------------------------------------------------------------
  void enter(phase_kind kind) {
    const std::uint32_t mine = open_ ? 0x80u : 1u << static_cast<unsigned>(kind);
    const auto all = members_.allreduce(mine, atomic_op::bor);
    if (all != mine || open_)
      throw error(errc::rma_sync, "hash_map '" + name_ + "': " +
                                      (all >= 0x80u ? "a phase is open already; end it first"
                                                    : "the ranks began different phases"));
    open_ = kind;
  }
  // Throws rma_sync unless no phase is open, or one in which no rank writes.
  void require_still(const char* call) const {
    if (open_ && *open_ != phase_kind::find_only)
      throw error(errc::rma_sync, "hash_map '" + name_ + "': " +
                                      written_table_words(call, *open_, members_.me().value));
  }
  status leave() noexcept {
    if (!open_) return errc::rma_sync;
    open_.reset();
    const status flushed = window_.flush_all();
    const status met = members_.barrier();
    return flushed.ok() ? met : flushed;
  }

  // Collective. Requires: no rank works on the table.
  void clear() {
    if (open_) throw error(errc::rma_sync, "hash_map '" + name_ + "': cleared in a phase");
    if (loads_) {
      std::memset(base(members_.me()), 0, part_words() * sizeof(std::uint64_t));
    } else {
      // Slots are a power of two and at least 8, so that these pieces fit the part.
      const std::vector<std::uint64_t> zeros(std::min<std::uint64_t>(slots(), 1u << 16) *
                                             Slot::words);
      for (std::uint64_t at = 0; at < part_words(); at += zeros.size()) put_mine(at, zeros);
    }
    members_.barrier().or_throw();
  }

  // --- One key -----------------------------------------------------------------------------------
  // As the batches below, without their prefetching. `value` goes in and comes out as act()'s.
  template <table_action A>
  bulk_result run_one(const key_image& key, slot_answer counted, value_image& value) noexcept {
    if (Slot::reserved(key)) [[unlikely]]
      return {0, refuse_reserved(key)};
    const step s = begin(key);
    slot_answer answer = slot_answer::absent;
    bulk_result result;
    if (s.part != nullptr) [[likely]] {
      hash_part<Slot, host_words> part(host_words(s.part), shape_);
      answer = act<A>(part, key, s.h, value);
    } else if (calls_) {
      far_calls<Slot> far(window_.any(), A, 1);
      keep(result, far.add(owner(s.h), {key, value}, 0));
      keep(result, far.finish([&](rank, std::size_t, slot_answer a, const value_image& v) {
        answer = a;
        value = v;
      }));
      if (!result.outcome.ok()) return result;
    } else {
      hash_part<Slot, remote_words> part(remote_words(window_, owner(s.h)), shape_);
      answer = act<A>(part, key, s.h, value);
      keep(result, window_.flush_all());
    }
    result.count = answer == counted ? 1 : 0;
    if (answer > slot_answer::present) [[unlikely]]
      result.outcome = give_up(answer, owner(s.h));
    return result;
  }
  // Requires: no rank writes. `value` is written where the key is present.
  bulk_result find_one(const key_image& key, value_image& value) noexcept {
    const step s = begin(key);
    if (s.part != nullptr && !Slot::reserved(key)) [[likely]] {
      const slot_answer answer =
          hash_part<Slot, host_words>(host_words(s.part), shape_).find(key, s.h, value);
      if (answer <= slot_answer::present) [[likely]]
        return {answer == slot_answer::present ? std::size_t{1} : 0, {}};
    }
    return find(std::span(&key, 1), [&value](std::size_t, const value_image& v) { value = v; });
  }

  // --- Batches -----------------------------------------------------------------------------------
  // Acts on each key with given(i), calls take(i, answer, value), counts the `counted` answers.
  template <table_action A, class Keys, class Given, class Take>
  bulk_result run(Keys keys, slot_answer counted, Given given, Take take) noexcept {
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
        hash_part<Slot, remote_words> part(remote_words(window_, owner(s.h)), shape_);
        answer = act<A>(part, s.key, s.h, value);
      }
      note(i, answer, value);
      return answer;
    };
    pipeline<writes(A)>(keys, result, resolve);
    finish(far, result, note);
    if (remote) keep(result, window_.flush_all());
    return result;
  }

  // Requires: no rank writes. Calls found(index, value) for each key that is present. A key that is
  // not in its first line of slots is deferred until there are several such, with their next lines
  // prefetched.
  template <class Keys, class Found>
  bulk_result find(Keys keys, Found found) noexcept {
    bulk_result result;
    const auto count = [&](std::size_t i, const value_image& value) {
      ++result.count;
      found(i, value);
    };
    const auto first_line = [&](const step& s, value_image& value) {
      if constexpr (Slot::packed)
        return find_in_line<Slot>(s.part, shape_, s.key, s.h, value);
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
    put_off later;
    made_late<remote_finder<Slot>> remote;
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
        prefetch<false>(s.part, shape_.template probe<Slot::group>(s.h, Slot::group));
        later.steps[later.count] = s;
        later.index[later.count] = i;
        if (++later.count == ahead) later.finish(wherever);
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

  // --- Queries -----------------------------------------------------------------------------------
  // Calls each(slot) for the slots of this rank's part, each its words in memory of the host.
  template <class Each>
  void each_of_mine(Each each) {
    const std::uint64_t* at = base(members_.me());
    std::vector<std::uint64_t> copied(
        loads_ ? 0 : std::min<std::uint64_t>(slots(), 1u << 14) * Slot::words);
    for (std::uint64_t i = 0; i < slots(); ++i, at += Slot::words) {
      const std::uint64_t of_block = loads_ ? 1 : i * Slot::words % copied.size();
      if (of_block == 0) {
        window_.get(members_.me(), disp{i * Slot::words}, std::span(copied)).or_throw();
        window_.flush_local(members_.me()).or_throw();
        at = copied.data();
      }
      each(at);
    }
  }
  // Returns, for kernels of this rank, an array of the addresses of the parts. Throws rma_shared.
  [[nodiscard]] std::uint64_t* const* bases() const {
    std::string missing;
    for (int r = 0; r < members_.size(); ++r)
      if (!window_.shared_query(rank{r}).reachable())
        missing += (missing.empty() ? "" : ", ") + std::to_string(r);
    if (!missing.empty())
      throw error(errc::rma_shared,
                  "hash_map '" + name_ + "': " + unreached_words(members_.me().value, missing));
    return reinterpret_cast<std::uint64_t* const*>(base(members_.me()) + part_words());
  }
  [[nodiscard]] std::uint64_t slots() const noexcept { return shape_.mask + 1; }
  [[nodiscard]] const team& members() const noexcept { return members_; }
  [[nodiscard]] rank owner(std::uint64_t h) const noexcept {
    return rank{static_cast<std::int32_t>(shape_.owner(h))};
  }
  [[nodiscard]] std::string explain() const { return window_.explain(); }
  [[gnu::cold]] errc refuse_sizes(std::size_t keys, std::size_t values,
                                  std::size_t flags) noexcept {
    return fail(errc::count, different_sizes_words(keys, values, flags));
  }
  [[nodiscard]] std::string failure() const {
    const std::lock_guard lock(failing_);
    return failure_.empty() ? window_.failure() : failure_;
  }

 private:
  struct step {
    std::uint64_t* part;
    std::uint64_t h;
    key_image key;
  };
  // As many lines as a core keeps in flight, and some more: docs/HASH_MAP.md has the numbers.
  static constexpr std::size_t ahead = 32;

  // Finds whose first line did not decide.
  struct put_off {
    put_off() noexcept {}  // NOLINT: the arrays are not cleared
    std::size_t count = 0;
    std::array<step, ahead> steps;
    std::array<std::size_t, ahead> index;

    template <class Look>
    void finish(Look& look) noexcept {
      for (std::size_t k = 0; k < count; ++k) look(steps[k], index[k]);
      count = 0;
    }
  };

  [[nodiscard]] step begin(const key_image& key) const noexcept {
    const std::uint64_t h = hash_of(key);
    return {parts_[shape_.owner(h)], h, key};
  }
  template <class K>
  [[nodiscard]] step begin(const K& key) const noexcept {
    return begin(key_image::of(key));
  }
  // Of a batch: has the key's owner, on another node, act with the others that were added.
  template <class Note>
  void call(far_calls<Slot>& far, const step& s, const value_image& value, std::size_t i,
            bulk_result& result, Note& note) noexcept {
    keep(result, far.add(owner(s.h), {s.key, value}, i));
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
  template <bool Writes>
  static void prefetch(const std::uint64_t* part, std::uint64_t slot) noexcept {
    __builtin_prefetch(part + slot * Slot::words, Writes ? 1 : 0);
  }

  template <bool Writes, class Keys, class Resolve>
  void pipeline(Keys keys, bulk_result& result, Resolve& resolve) noexcept {
    step steps[ahead];
    const std::size_t n = keys.size(), depth = std::min(n, ahead);
    for (std::size_t i = 0; i < n + depth; ++i) {
      if (i >= depth) {
        const step& s = steps[(i - depth) % ahead];
        if (Slot::reserved(s.key)) [[unlikely]]
          return keep(result, refuse_reserved(s.key));
        const slot_answer answer = resolve(s, i - depth);
        if (answer > slot_answer::present) [[unlikely]]
          return keep(result, give_up(answer, owner(s.h)));
      }
      if (i >= n) continue;
      step& s = steps[i % ahead];
      s = begin(keys[i]);
      if (s.part != nullptr) prefetch<Writes>(s.part, s.h & shape_.mask);
    }
  }

  static void keep(bulk_result& result, status s) noexcept {
    if (result.outcome.ok()) result.outcome = s;
  }
  [[gnu::cold]] errc fail(errc code, const std::string& why) noexcept {
    const std::string text = "hash_map '" + name_ + "': " + why;
    note_failure(0, code, text);
    const std::lock_guard lock(failing_);
    if (failure_.empty()) failure_ = text;
    return code;
  }
  [[gnu::cold]] errc refuse_reserved(const key_image& key) noexcept {
    return fail(errc::arg, reserved_key_words(key.word[0]));
  }
  [[gnu::cold]] errc give_up(slot_answer answer, rank r) noexcept {
    return answer == slot_answer::full ? fail(errc::no_mem, full_part_words(r.value, slots()))
                                       : fail(errc::timed_out, unfinished_slot_words(r.value));
  }

  // The part of a rank, as this process has it mapped; the host may use it only where `loads_`.
  [[nodiscard]] std::uint64_t* base(rank r) const noexcept { return window_.shared_query(r).base; }
  [[nodiscard]] std::uint64_t part_words() const noexcept { return slots() * Slot::words; }
  // Words for `bases` behind the slots, in memory that the rank's own kernels reach. None where
  // ranks of other nodes have parts, on which no kernel here can work.
  [[nodiscard]] std::uint64_t base_words() const noexcept {
    std::uint64_t on_node = 0;
    while (on_node < shape_.ranks && members_.on_node(rank{static_cast<std::int32_t>(on_node)}))
      ++on_node;
    return on_node == shape_.ranks ? on_node : 0;
  }
  void put_mine(std::uint64_t first, std::span<const std::uint64_t> words) {
    const rank me = members_.me();
    window_.put(me, disp{first}, words).or_throw();
    window_.flush(me).or_throw();
  }
  void write_bases() {
    if (base_words() == 0) return;
    std::vector<std::uint64_t> all;
    for (int r = 0; r < members_.size(); ++r)
      all.push_back(reinterpret_cast<std::uintptr_t>(base(rank{r})));
    put_mine(part_words(), all);
  }
  team members_;
  std::string name_;
  table_shape shape_;
  bool loads_;  // the host does, within its node
  hash_map_window window_;
  epoch epoch_;
  std::vector<std::uint64_t*> parts_;  // by rank; null: on another node, or through the window
  far_service<Slot> service_{parts_, shape_};
  bool calls_ = false;  // owners on other nodes are called
  std::optional<phase_kind> open_;
  mutable std::mutex failing_;
  std::string failure_;
};

}  // namespace oriel::detail
