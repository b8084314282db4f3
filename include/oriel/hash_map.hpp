// hash_map<K, V>: a hash table over the memory of every rank of a team, on which all of them work
// with one-sided operations.
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
// not grow by itself, but between phases by rehash(): each rank holds a power of two of slots, at
// least the elements expected of it over the load factor; in memory of devices, where more than
// half of these would be taken and slots are packed, just as many as that, in lines of seven (a
// dense table). Keys and values of 8 bytes lie in packed slots of 16, and then the three highest
// keys (2^64 - 1, - 2, - 3) are reserved and refused with errc::arg. All else, and everything under
// slot_layout::general, has 8 bytes of state besides and takes every key.
//
// Phases. Every operation belongs to a phase, which all ranks open and end together. An operation
// that the phase lacks does not compile; one on a phase that has ended returns errc::rma_sync.
// Every rank sees in a phase what earlier phases wrote. In find_only nothing is written: a find is
// plain loads, and finds on remote ranks are in flight together. In insert_only nothing is read.
// Requires, there: ranks that work on one key at one time all insert it, or all assign it, or all
// add to it. Mixed phases require nothing: each operation on one key is atomic.
//
// Erasing, in mixed phases, leaves the slot behind as a tombstone, which its key takes again when
// it is inserted again, and no other key before clear() or rehash(): a table is full when so many
// different keys have been in it, however often they came and went.
//
// Complete at the owner: when the operation returns; on mapped ranks in insert_only, at the phase's
// end. The keys of a batch are worked on in order, with the slots of later ones prefetched, so that
// large batches are fastest.
//
// Devices. With memory_kind "cuda:device" (and the like) the table lies in memory of devices. The
// host's operations then go through the runtime, one slot or line of slots at a time; kernels of
// all ranks of one node work on it at full speed, through `ref()` of a phase. Requires, for a phase
// to order kernels as it orders the host's operations: a rank's kernels have ended (its streams are
// synchronized) when it ends the phase, and it launches none before the next one is open.
// Phases of kernels alone need no synchronization: those that take a stream (insert_only_on) begin
// and end in its order. Requires: the stream has passed the last of them before a phase of the host
// is opened, the table cleared, or asked for its size.
//
// Throws: construction, opening a phase, clear, rehash and size throw `error`, as does everything
// on a map that has been moved from, errc::win; operations are noexcept.
// Returns, of operations: how many keys were inserted, found or erased, and the first failure, at
// which a batch ends:
//   no_mem     a rank's part is full
//   arg        a reserved key
//   count      spans differ in size
//   timed_out  a rank died while it wrote a slot that is needed
//   rma_sync   the phase has ended
// and those of the window for remote ranks and devices. or_throw() has the text; failure() that of
// the first failure on this rank.
//
// Threads. Any thread may work in a phase at thread_level::multiple; all else is for one at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "oriel/detail/alike.hpp"
#include "oriel/detail/container_state.hpp"
#include "oriel/detail/named_call.hpp"
#include "oriel/hash_map/copied_elements.hpp"
#include "oriel/hash_map/phase.hpp"
#include "oriel/hash_map/stream_phase.hpp"

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
  // Whether elements lie in packed slots; bytes of a slot.
  static constexpr bool packed = slot::packed;
  static constexpr std::size_t slot_bytes = slot::words * 8;

  // Makes an empty table for `expected` elements of all ranks together. Collective. Requires: all
  // ranks give the same. Throws arg for a load factor outside of (0, 1] or a table beyond any
  // memory; mismatched_assertions where the ranks differ; unsupported_kind where a rank has no
  // memory of the kind or no atomics on it; what construction of a window throws.
  hash_map(const team& members, std::uint64_t expected, const hash_map_options& options = {})
      : options_(options), state_(std::make_unique<state>(members, expected, options)) {}

  // Open a phase. Collective. Block until every rank has called it. Throw rma_sync, on every rank,
  // where the ranks open different ones or one is open; what team::allreduce throws.
  phase<phase_kind::insert_only> insert_only() { return phase<phase_kind::insert_only>(*state_); }
  phase<phase_kind::find_only> find_only() { return phase<phase_kind::find_only>(*state_); }
  phase<phase_kind::mixed> mixed() { return phase<phase_kind::mixed>(*state_); }

  // The same in the order of a stream, for kernels, and at once: `on` is this rank's, and what it
  // gets while the phase is open is ordered against other phases of this kind, on all ranks. Not
  // collective, but all ranks open the same. Requires: the stream holds a device's memory of the
  // map's kind; streams of consecutive phases are one, or ordered by events. Throw rma_sync where a
  // phase is open here; unsupported_kind where the table lies in the node's memory.
  template <phase_kind P>
  using stream_phase = hash_map_stream_phase<K, V, L, P>;
  stream_phase<phase_kind::insert_only> insert_only_on(device_stream on) {
    return stream_phase<phase_kind::insert_only>(*state_, on);
  }
  stream_phase<phase_kind::find_only> find_only_on(device_stream on) {
    return stream_phase<phase_kind::find_only>(*state_, on);
  }
  stream_phase<phase_kind::mixed> mixed_on(device_stream on) {
    return stream_phase<phase_kind::mixed>(*state_, on);
  }

  // Returns the open phase's ref(), where the phase is not at hand. Requires: P is the phase that
  // is open. Throws rma_shared as hash_map_phase::ref does.
  template <phase_kind P>
  [[nodiscard]] hash_map_ref<K, V, P, L> ref() const {
    return {state_->bases(P), static_cast<std::uint32_t>(state_->members().size()),
            state_->slots()};
  }

  // Removes every element and tombstone. Collective; blocks until every rank has called it. Throws
  // rma_sync in a phase; what team::barrier returns.
  void clear() { state_->clear(); }
  // Makes the table one for `expected` elements of all ranks, or for those that it has where they
  // are more: it grows, or shrinks. Removes tombstones, and the text of failure(). What phases and
  // ref() gave to kernels is dangling. Collective; blocks until every rank has called it. Requires:
  // all ranks give the same. Takes the memory of both tables until it returns.
  // Throws on every rank alike, and leaves the table as it is: rma_sync in a phase; what
  // construction throws, no_mem for lack of memory say; no_mem where a part of the new table would
  // be overfull, since the keys are not evenly distributed; what the window returns.
  void rehash(std::uint64_t expected) {
    state_->require_no_phase("rehash()");
    const std::string& whose = state_->whose();
    const detail::named_call here(whose, "rehash()");
    std::uint64_t mine = 0;
    detail::alike(members(), whose,
                  [&] { for_each_local([&mine](const K&, const V&) { ++mine; }); });
    const std::uint64_t held = members().allreduce(mine, atomic_op::sum);
    auto other = std::make_unique<state>(members(), std::max(expected, held), options_);
    phase<phase_kind::insert_only> p(*other);
    detail::alike(members(), whose, [&] {
      detail::copied_elements<K, V, decltype(p)> copies(p);
      for_each_local([&copies](const K& key, const V& value) { copies.add(key, value); });
      if (const status s = copies.finish(); !s.ok()) throw error(s.code(), other->failure());
    });
    const status ended = p.end();
    detail::fail_alike(members(), ended.code(), other->failure());
    state_ = detail::container_state(std::move(other));
  }
  // Returns the number of elements of all ranks. Collective. Throws rma_sync in phases other than
  // find_only; what team::allreduce throws.
  [[nodiscard]] std::uint64_t size() {
    const detail::named_call here(state_->whose(), "size()");
    state_->require_still("size()");
    std::uint64_t mine = 0;
    for_each_local([&mine](const K&, const V&) { ++mine; });
    return state_->members().allreduce(mine, atomic_op::sum);
  }
  // Calls each(key, value) for the elements that lie on this rank, in no order. Local. Throws
  // rma_sync in phases other than find_only.
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

  // Returns the rank in whose part the key belongs.
  [[nodiscard]] rank owner(const K& key) const {
    return state_->owner(detail::hash_of(slot::key_image::of(key)));
  }
  // Returns the slots of each rank.
  [[nodiscard]] std::uint64_t slots_per_rank() const { return state_->slots(); }
  [[nodiscard]] team members() const { return state_->members(); }
  // Returns the text of the first failure on this rank; empty when nothing has failed.
  [[nodiscard]] std::string failure() const { return state_->failure(); }
  // Returns any_window::explain of the map's window.
  [[nodiscard]] std::string explain() const { return state_->explain(); }

 private:
  hash_map_options options_;
  detail::container_state<state> state_;
};

}  // namespace oriel
