// hash_map<K, V>: a hash table over the memory of every rank of a team, worked on by all of them
// with one-sided operations; nobody serves it.
//
//   hash_map<std::uint64_t, std::uint64_t> counts(world, 1'000'000);  // elements expected, all
//   ranks
//   {
//     auto p = counts.insert_only();                                  // collective
//     p.fetch_add(keys, ones).outcome.or_throw();                     // spans
//   }                                                                 // collective: all is
//   complete auto p = counts.find_only(); const auto [found, outcome] = p.find(keys, values,
//   flags);
//
// Elements. K and V are trivially copyable; keys are compared and hashed by their bytes, so K has
// neither padding nor floating point. A key's rank and slot follow from its hash. The table does
// not grow: each rank holds a power of two of slots, at least the elements expected of it over the
// load factor. Keys and values of 8 bytes lie in packed slots of 16, and then the three highest
// keys (2^64 - 1, - 2, - 3) are reserved and refused with errc::arg. All else, and everything under
// slot_layout::general, has 8 bytes of state besides and takes every key.
//
// Phases. Every operation belongs to a phase, which all ranks open and end together; an operation
// that the phase lacks does not compile, and one on a phase that was ended returns errc::rma_sync.
// What a phase wrote is seen by every rank in the next. In find_only nothing is written, so a find
// is plain loads, and far finds are in flight together. In insert_only the ranks that work on one
// key at one time all insert it, or all assign it, or all add to it; nothing is read. Mixed phases
// have no such rule: each operation on one key takes effect at once, between its call and its
// return, and a value is found whole.
//
// Erasing, in mixed phases, leaves the slot behind as a tombstone: it is not used again before
// clear(), so a key that is erased and inserted again takes a new slot each time.
//
// Completion. Operations are complete at the owner when they return, except on mapped ranks in
// insert_only, where they are so at the phase's end. Batches are worked through in order but run
// ahead of themselves: give many keys at once. Two equal keys of a batch are worked on in order.
//
// Errors. Construction, opening a phase, clear and size throw `error`. Operations are noexcept and
// return the first failure: no_mem when a rank's part is full, arg for a reserved key, count when
// spans differ in size, timed_out when a rank died while it wrote a slot that is needed, and what
// the window reports of far ranks. A batch ends at its first failure. `failure()` has the text.
//
// Threads. Any thread may work in a phase at thread_level::multiple; all else is for one at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "oriel/detail/hash_map_state.hpp"
#include "oriel/hash_map_options.hpp"

namespace oriel {

template <phase_kind P>
concept inserting_phase = P != phase_kind::find_only;
template <phase_kind P>
concept finding_phase = P != phase_kind::insert_only;
template <phase_kind P>
concept erasing_phase = P == phase_kind::mixed;

// One rank's share in a phase. Must end before its map does.
template <class K, class V, slot_layout L, phase_kind P>
class [[nodiscard]] hash_map_phase {
  using slot = detail::hash_slot<K, V, L>;
  using state = detail::hash_map_state<slot>;
  using value_image = typename slot::value_image;
  using answer = detail::slot_answer;
  static constexpr bool hidden = P == phase_kind::mixed;

 public:
  hash_map_phase(hash_map_phase&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  hash_map_phase& operator=(hash_map_phase&&) = delete;
  ~hash_map_phase() { end(); }
  // Collective. Waits until every rank has ended the phase and all that it wrote is complete; does
  // nothing the second time. Returns the window's first failure.
  status end() noexcept {
    state* const open = std::exchange(state_, nullptr);
    return open == nullptr ? status{} : open->leave();
  }

  // --- Batches: values.size() == keys.size(); flags, where given, too ----------------------------
  // Inserts the keys that are absent and leaves the others as they are. `inserted[i]` tells which.
  bulk_result insert(std::span<const K> keys, std::span<const V> values,
                     std::span<bool> inserted = {}) noexcept requires inserting_phase<P> {
    return each<true>(keys, values.size(), inserted, answer::absent,
                      [&](auto& part, const auto& key, std::uint64_t h, std::size_t i) {
                        return part.template insert<hidden>(key, h, value_image::of(values[i]));
                      });
  }
  // Gives every key its value; of keys that are given at the same time, any one wins.
  bulk_result insert_or_assign(std::span<const K> keys, std::span<const V> values,
                               std::span<bool> inserted = {}) noexcept requires inserting_phase<P> {
    return each<true>(keys, values.size(), inserted, answer::absent,
                      [&](auto& part, const auto& key, std::uint64_t h, std::size_t i) {
                        return part.template assign<hidden>(key, h, value_image::of(values[i]));
                      });
  }
  // Adds to the values, 0 for keys that were absent and now are not; integers wrap. `before[i]`,
  // where given, receives the value before.
  bulk_result fetch_add(std::span<const K> keys, std::span<const V> operands,
                        std::span<V> before = {}) noexcept requires inserting_phase<P> &&
      integral_value<V> {
    if (!before.empty() && before.size() != keys.size()) return {0, errc::count};
    return each<true>(keys, operands.size(), {}, answer::absent,
                      [&](auto& part, const auto& key, std::uint64_t h, std::size_t i) {
                        value_image old;
                        const answer a =
                            part.template add<hidden>(key, h, value_image::of(operands[i]), old);
                        if (!before.empty() && a <= answer::present) before[i] = old.value();
                        return a;
                      });
  }
  // values[i] receives the value of keys[i] where it is present and stays as it is where not;
  // `found[i]` tells which.
  bulk_result find(std::span<const K> keys, std::span<V> values,
                   std::span<bool> found = {}) noexcept requires finding_phase<P> {
    if (const errc e = refusal(keys.size(), values.size(), found.size()); e != errc::success)
      return {0, e};
    if constexpr (P == phase_kind::find_only) {
      for (bool& flag : found) flag = false;
      return state_->find(keys, [&](std::size_t i, const value_image& value) {
        values[i] = value.value();
        if (!found.empty()) found[i] = true;
      });
    } else {
      return each<false>(keys, values.size(), found, answer::present,
                         [&](auto& part, const auto& key, std::uint64_t h, std::size_t i) {
                           value_image value;
                           const answer a = part.find_among_writers(key, h, value);
                           if (a == answer::present) values[i] = value.value();
                           return a;
                         });
    }
  }
  // `erased[i]` tells whether this call took keys[i] away.
  bulk_result erase(std::span<const K> keys,
                    std::span<bool> erased = {}) noexcept requires erasing_phase<P> {
    return each<true>(keys, keys.size(), erased, answer::present,
                      [](auto& part, const auto& key, std::uint64_t h, std::size_t) {
                        return part.erase(key, h);
                      });
  }

  // --- One element -------------------------------------------------------------------------------
  bulk_result insert(const K& key, const V& value) noexcept requires inserting_phase<P> {
    return insert(std::span(&key, 1), std::span(&value, 1));
  }
  bulk_result insert_or_assign(const K& key, const V& value) noexcept requires inserting_phase<P> {
    return insert_or_assign(std::span(&key, 1), std::span(&value, 1));
  }
  bulk_result fetch_add(const K& key, const V& operand, V* before = nullptr) noexcept requires
      inserting_phase<P> && integral_value<V> {
    return fetch_add(std::span(&key, 1), std::span(&operand, 1),
                     std::span(before, before == nullptr ? 0 : 1));
  }
  // Nothing when the key is absent, and after a failure.
  [[nodiscard]] std::optional<V> find(const K& key) noexcept requires finding_phase<P> {
    V value{};
    if (find(std::span(&key, 1), std::span(&value, 1)).count == 0) return std::nullopt;
    return value;
  }
  bulk_result erase(const K& key) noexcept requires erasing_phase<P> {
    return erase(std::span(&key, 1));
  }

  // For hash_map.
  explicit hash_map_phase(state& s) : state_(&s) { s.enter(P); }

 private:
  [[nodiscard]] errc refusal(std::size_t keys, std::size_t values,
                             std::size_t flags) const noexcept {
    if (state_ == nullptr) return errc::rma_sync;
    return values != keys || (flags != 0 && flags != keys) ? errc::count : errc::success;
  }
  // Counts and flags the answers that are `told`.
  template <bool Writes, class Work>
  bulk_result each(std::span<const K> keys, std::size_t values, std::span<bool> flags, answer told,
                   Work work) noexcept {
    if (const errc e = refusal(keys.size(), values, flags.size()); e != errc::success)
      return {0, e};
    for (bool& flag : flags) flag = false;
    return state_->template run<Writes>(
        keys, told, [&](auto& part, const auto& key, std::uint64_t h, std::size_t i) {
          const answer a = work(part, key, h, i);
          if (!flags.empty()) flags[i] = a == told;
          return a;
        });
  }

  state* state_;
};

template <class K, class V, slot_layout L = slot_layout::automatic>
class hash_map {
  using slot = detail::hash_slot<K, V, L>;
  using state = detail::hash_map_state<slot>;

 public:
  using key_type = K;
  using mapped_type = V;
  template <phase_kind P>
  using phase = hash_map_phase<K, V, L, P>;
  // Whether elements lie in packed slots, and bytes of a slot.
  static constexpr bool packed = slot::packed;
  static constexpr std::size_t slot_bytes = slot::words * 8;

  // Collective; all ranks give the same. `expected`: elements of all ranks together. Throws arg for
  // a load factor or a number that no table has, mismatched_assertions when the ranks differ, and
  // what window construction throws.
  hash_map(const team& members, std::uint64_t expected, const hash_map_options& options = {})
      : state_(std::make_unique<state>(members, expected, options)) {}

  // --- Phases: collective. Throw rma_sync when the ranks open different ones, or one is open
  // ------
  phase<phase_kind::insert_only> insert_only() { return phase<phase_kind::insert_only>(*state_); }
  phase<phase_kind::find_only> find_only() { return phase<phase_kind::find_only>(*state_); }
  phase<phase_kind::mixed> mixed() { return phase<phase_kind::mixed>(*state_); }

  // Collective, between phases: takes every element and tombstone away. Throws rma_sync in a phase.
  void clear() { state_->clear(); }
  // Collective, between phases or in find_only: elements of all ranks.
  [[nodiscard]] std::uint64_t size() {
    std::uint64_t mine = 0;
    for_each_local([&mine](const K&, const V&) { ++mine; });
    return state_->members().allreduce(mine, atomic_op::sum);
  }
  // Local, between phases or in find_only: each(key, value) for the elements that lie on this rank,
  // in no order.
  template <class Each>
  void for_each_local(Each each) {
    using key_image = typename slot::key_image;
    using value_image = typename slot::value_image;
    const std::uint64_t* at = state_->mine();
    for (std::uint64_t i = 0; i < state_->slots(); ++i, at += slot::words) {
      if (!slot::taken(at[0])) continue;
      key_image key;
      value_image value;
      std::copy_n(at + slot::key_at, key_image::size, key.word);
      std::copy_n(at + slot::value_at, value_image::size, value.word);
      if (packed) key.word[0] = ~key.word[0];
      each(key.value(), value.value());
    }
  }

  // The rank that holds the key, if any does.
  [[nodiscard]] rank owner(const K& key) const noexcept {
    return state_->owner(detail::hash_of(slot::key_image::of(key)));
  }
  // Slots of each rank.
  [[nodiscard]] std::uint64_t slots_per_rank() const noexcept { return state_->slots(); }
  [[nodiscard]] team members() const { return state_->members(); }
  // The text of the first failure on this rank; empty when nothing failed.
  [[nodiscard]] std::string failure() const { return state_->failure(); }
  // Why the map's window is as fast as it is, for people.
  [[nodiscard]] std::string explain() const { return state_->explain(); }

 private:
  std::unique_ptr<state> state_;
};

}  // namespace oriel
