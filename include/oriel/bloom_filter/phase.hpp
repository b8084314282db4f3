// Phases of a Bloom filter and the operations in them: see bloom_filter.hpp.
#pragma once

#include <span>

#include "oriel/bloom_filter/state.hpp"
#include "oriel/hash_map/options.hpp"
#include "oriel/phase_handle.hpp"

namespace oriel {

template <phase_kind P>
concept filling_phase = P == phase_kind::insert_only;
template <phase_kind P>
concept querying_phase = P == phase_kind::find_only;

// A phase, as one rank has it open. Requires: it ends before its filter is destroyed.
template <class K, phase_kind P>
class [[nodiscard]] bloom_filter_phase : public phase_handle<detail::bloom_state> {
 public:
  // Inserts keys. Spans reusable on return. Complete at the owners: when the phase ends. Returns
  // what accumulates of the window return, at which a batch ends.
  status insert(std::span<const K> keys) noexcept requires filling_phase<P> {
    if (state_ == nullptr) return refused();
    return state_->set(keys.size(), [keys](std::size_t i) { return hash(keys[i]); });
  }
  status insert(const K& key) noexcept requires filling_phase<P> {
    return state_ == nullptr ? refused() : state_->set_one(hash(key));
  }

  // Sets `maybe[i]` to false where keys[i] has certainly not been inserted in an earlier phase, and
  // to true where it has or, at the rate of false positives, seems to have. Returns how many are
  // true, and the first failure, from which on all are: count where the spans differ in size.
  bulk_result contains(std::span<const K> keys,
                       std::span<bool> maybe) noexcept requires querying_phase<P> {
    if (state_ == nullptr) return {0, refused()};
    if (keys.size() != maybe.size()) return {0, state_->refuse_sizes(keys.size(), maybe.size())};
    for (bool& b : maybe) b = true;
    bulk_result result{keys.size(), {}};
    result.outcome = state_->test(
        keys.size(), [keys](std::size_t i) { return hash(keys[i]); },
        [&](std::size_t i, bool all_set) {
          maybe[i] = all_set;
          result.count -= all_set ? 0 : 1;
        });
    return result;
  }
  // Of one key; true after a failure, which the phase's end returns.
  [[nodiscard]] bool contains(const K& key) noexcept requires querying_phase<P> {
    if (state_ != nullptr) return state_->test_one(hash(key));
    static_cast<void>(refused());
    return true;
  }

  // For bloom_filter.
  explicit bloom_filter_phase(detail::bloom_state& s) : phase_handle(s, P) {}

 private:
  static std::uint64_t hash(const K& key) noexcept {
    return detail::hash_of(detail::word_image<K>::of(key));
  }
  [[gnu::cold]] static errc refused() noexcept { return phase_handle::refused("bloom_filter"); }
};

}  // namespace oriel
