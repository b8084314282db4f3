// bloom_filter<K>: a set over the memory of every rank of a team that takes some bits a key, since
// it may mistake keys that are not in it for some that are.
//
//   bloom_filter<std::uint64_t> seen(world, 1'000'000, 0.01);  // keys expected; false positives
//   {
//     auto p = seen.insert_only();                             // collective
//     p.insert(keys).or_throw();                               // spans
//   }                                                          // collective: complete
//   auto p = seen.find_only();
//   const auto [found, outcome] = p.contains(others, maybe);
//
// Keys are trivially copyable and hashed by their bytes, so K has neither padding nor floating
// point. A key that has been inserted is always found. One that has not is found with the
// probability that construction was given, once as many different keys are in as were expected, and
// with a lower one before: so many bits there are, and so many of them are each key's. A key's bits
// lie in one word of one rank: it costs one line of a cache, and between nodes one entry of a list
// of operations, many of which share a message (docs/SMALL_OPERATIONS.md).
//
// Phases, insert_only and find_only, are opened and ended by all ranks together. An operation that
// the phase lacks does not compile; one on a phase that has ended returns errc::rma_sync. Every
// rank finds in a phase what any rank has inserted in earlier ones.
//
// Throws: construction, opening a phase, merge and clear throw `error`, as does everything on a
// filter that has been moved from, errc::win; operations are noexcept.
// Threads. Any thread may work in a phase at thread_level::multiple; all else is for one at a time.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "oriel/bloom_filter/phase.hpp"
#include "oriel/detail/container_state.hpp"

namespace oriel {

template <class K>
class bloom_filter {
  static_assert(std::is_trivially_copyable_v<K>, "keys of a bloom_filter are moved as bytes");
  static_assert(std::has_unique_object_representations_v<K>,
                "keys of a bloom_filter are hashed as bytes: no padding, no floating point");

 public:
  using key_type = K;
  template <phase_kind P>
  using phase = bloom_filter_phase<K, P>;

  // Makes an empty filter for `expected` different keys of all ranks together, of which `rate` is
  // the share of false positives then. Collective. Requires: all ranks give the same. Throws arg
  // for a rate outside of (0, 1), or so low or for so many keys that a part would have 32 GiB;
  // mismatched_assertions where the ranks differ; what construction of a window throws.
  bloom_filter(const team& members, std::uint64_t expected, double rate,
               const bloom_filter_options& options = {})
      : state_(std::make_unique<detail::bloom_state>(members, expected, rate, options)) {}

  // Open a phase. Collective. Block until every rank has called it. Throw rma_sync, on every rank,
  // where the ranks open different ones or one is open; what team::allreduce throws.
  phase<phase_kind::insert_only> insert_only() { return phase<phase_kind::insert_only>(*state_); }
  phase<phase_kind::find_only> find_only() { return phase<phase_kind::find_only>(*state_); }

  // Inserts every key that has been inserted into `other`, which stays as it is. Collective; blocks
  // until every rank has called it. Requires: `other` is a filter of the same team. Throws, on
  // every rank, rma_sync where one of the two is in a phase, arg where they have other numbers of
  // bits; what team::barrier returns.
  void merge(const bloom_filter& other) { state_->merge(*other.state_); }
  // Removes every key. Collective, likewise. Throws rma_sync in a phase, on every rank; what
  // team::barrier returns.
  void clear() { state_->clear(); }

  // Returns the bits of all ranks together; how many of them are a key's, some of which may be the
  // same one.
  [[nodiscard]] std::uint64_t bits() const {
    return state_->shape().words * state_->shape().ranks * 64;
  }
  [[nodiscard]] int bits_of_key() const { return state_->shape().hashes; }
  // Returns the share of false positives that is to be expected with `keys` different keys.
  [[nodiscard]] double expected_rate(std::uint64_t keys) const {
    return keys == 0 ? 0
                     : detail::false_positives(
                           static_cast<double>(bits()) / static_cast<double>(keys), bits_of_key());
  }
  [[nodiscard]] team members() const { return state_->members(); }
  // Returns the text of the first failure on this rank; empty when nothing has failed.
  [[nodiscard]] std::string failure() const { return state_->failure(); }
  // Return any_window::explain and statistics of the filter's window.
  [[nodiscard]] std::string explain() const { return state_->window().explain(); }
  [[nodiscard]] window_statistics statistics() const { return state_->window().statistics(); }

 private:
  detail::container_state<detail::bloom_state> state_;
};

}  // namespace oriel
