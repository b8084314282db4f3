// hash_map<K, V>: a hash table over the memory of every rank of a team, worked on by all of them
// with one-sided operations; nobody serves it.
//
//   hash_map<std::uint64_t, std::uint64_t> counts(world, 1'000'000);  // elements of all ranks
//   {
//     auto p = counts.insert_only();                                  // collective
//     p.fetch_add(keys, ones).outcome.or_throw();                     // spans
//   }                                                                 // collective: complete
//   auto p = counts.find_only();
//   const auto [found, outcome] = p.find(keys, values, flags);
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
// Erasing, in mixed phases, leaves the slot behind as a tombstone, which its key takes again when
// it is inserted again, and no other key before clear(): a table is full when so many different
// keys have been in it, however often they came and went.
//
// Completion. Operations are complete at the owner when they return, except on mapped ranks in
// insert_only, where they are so at the phase's end. Batches are worked through in order but run
// ahead of themselves: give many keys at once. Two equal keys of a batch are worked on in order.
//
// Devices. With memory_kind "cuda:device" (and the like) the table lies in memory of devices. The
// host's operations then go through the runtime, one slot or line of slots at a time; kernels of
// all ranks of one node work on it at their full speed, by `ref()` of a phase. A phase orders
// kernels as it orders the host's operations, if those of a rank have ended (their streams are
// synchronized) when it ends the phase, and none are launched before the next one is open.
//
// Errors. Construction, opening a phase, clear and size throw `error`. Operations are noexcept and
// return the first failure: no_mem when a rank's part is full, arg for a reserved key, count when
// spans differ in size, timed_out when a rank died while it wrote a slot that is needed, and what
// the window reports of far ranks and of devices. A batch ends at its first failure. `failure()`
// has the text.
//
// Threads. Any thread may work in a phase at thread_level::multiple; all else is for one at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "oriel/hash_map/phase.hpp"

namespace oriel {

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
  // a load factor or a number that no table has, mismatched_assertions when the ranks differ,
  // unsupported_kind when a rank cannot have the kind of memory or do atomics on it, and what
  // window construction throws.
  hash_map(const team& members, std::uint64_t expected, const hash_map_options& options = {})
      : state_(std::make_unique<state>(members, expected, options)) {}

  // Phases, collective. Throw rma_sync when the ranks open different ones, or one is open.
  phase<phase_kind::insert_only> insert_only() { return phase<phase_kind::insert_only>(*state_); }
  phase<phase_kind::find_only> find_only() { return phase<phase_kind::find_only>(*state_); }
  phase<phase_kind::mixed> mixed() { return phase<phase_kind::mixed>(*state_); }

  // The open phase's ref(), where the phase is not at hand: P must be the one that is open.
  template <phase_kind P>
  [[nodiscard]] hash_map_ref<K, V, P, L> ref() const {
    return {state_->bases(), static_cast<std::uint32_t>(state_->members().size()), state_->slots()};
  }

  // Collective, between phases: takes every element and tombstone away. Throws rma_sync in a phase.
  void clear() { state_->clear(); }
  // Collective, between phases or in find_only: elements of all ranks. Throws rma_sync in others.
  [[nodiscard]] std::uint64_t size() {
    state_->require_still("size()");
    std::uint64_t mine = 0;
    for_each_local([&mine](const K&, const V&) { ++mine; });
    return state_->members().allreduce(mine, atomic_op::sum);
  }
  // Local, between phases or in find_only: each(key, value) for the elements that lie on this rank,
  // in no order. Throws rma_sync in other phases.
  template <class Each>
  void for_each_local(Each each) {
    using key_image = typename slot::key_image;
    using value_image = typename slot::value_image;
    state_->require_still("for_each_local()");
    state_->each_of_mine([&each](const std::uint64_t* at) {
      if (!slot::taken(at[0])) return;
      key_image key;
      value_image value;
      std::copy_n(at + slot::key_at, key_image::size, key.word);
      std::copy_n(at + slot::value_at, value_image::size, value.word);
      if (packed) key.word[0] = ~key.word[0];
      each(key.value(), value.value());
    });
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
