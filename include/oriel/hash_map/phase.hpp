// Phases of a hash map and the operations in them: see hash_map.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "oriel/detail/host_span.hpp"
#include "oriel/hash_map/options.hpp"
#include "oriel/hash_map/state.hpp"

namespace oriel {

template <class K, class V, phase_kind P, slot_layout L>
class hash_map_ref;  // hash_map/ref.cuh

template <phase_kind P>
concept inserting_phase = P != phase_kind::find_only;
template <phase_kind P>
concept finding_phase = P != phase_kind::insert_only;
template <phase_kind P>
concept erasing_phase = P == phase_kind::mixed;

// A phase, as one rank has it open. Requires: it ends before its map is destroyed.
template <class K, class V, slot_layout L, phase_kind P>
class [[nodiscard]] hash_map_phase {
  using slot = detail::hash_slot<K, V, L>;
  using state = detail::hash_map_state<slot>;
  using key_image = typename slot::key_image;
  using value_image = typename slot::value_image;
  using answer = slot_answer;
  static constexpr bool hidden = P == phase_kind::mixed;

 public:
  hash_map_phase(hash_map_phase&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  hash_map_phase& operator=(hash_map_phase&&) = delete;
  ~hash_map_phase() { static_cast<void>(end()); }
  // Ends the phase; does nothing the second time. Collective. Blocks until every rank has ended it.
  // Complete at the owners: all that it wrote. Returns the window's first failure, or what
  // team::barrier returns.
  status end() noexcept {
    state* const open = std::exchange(state_, nullptr);
    return open == nullptr ? status{} : open->leave();
  }

  // --- Batches -----------------------------------------------------------------------------------
  // Requires: values.size() == keys.size(), and so for flags where they are given (else count).
  // Spans in memory of a device are copied to the host and back. Kernels use `ref`.
  //
  // Inserts the keys that are absent and leaves the others as they are. Sets `inserted[i]` to
  // whether keys[i] was absent.
  bulk_result insert(std::span<const K> keys, std::span<const V> values,
                     std::span<bool> inserted = {}) noexcept requires inserting_phase<P> {
    return detail::on_host([this](auto... on) { return insert_here(on...); }, keys, values,
                           inserted);
  }
  // Gives every key its value; of several at one time for one key, any one is kept.
  bulk_result insert_or_assign(std::span<const K> keys, std::span<const V> values,
                               std::span<bool> inserted = {}) noexcept requires inserting_phase<P> {
    return detail::on_host([this](auto... on) { return assign_here(on...); }, keys, values,
                           inserted);
  }
  // Adds to the values, which are 0 for keys that were absent; integers wrap. `before[i]`, where
  // given, receives the value before.
  bulk_result fetch_add(std::span<const K> keys, std::span<const V> operands,
                        std::span<V> before = {}) noexcept requires inserting_phase<P> &&
      integral_value<V> {
    return detail::on_host([this](auto... on) { return add_here(on...); }, keys, operands, before);
  }
  // values[i] receives the value of keys[i] where it is present and stays as it is where not.
  // Sets `found[i]` to whether it is.
  bulk_result find(std::span<const K> keys, std::span<V> values,
                   std::span<bool> found = {}) noexcept requires finding_phase<P> {
    return detail::on_host([this](auto... on) { return find_here(on...); }, keys, values, found);
  }
  // Sets `erased[i]` to whether this call removed keys[i].
  bulk_result erase(std::span<const K> keys,
                    std::span<bool> erased = {}) noexcept requires erasing_phase<P> {
    return detail::on_host([this](auto... on) { return erase_here(on...); }, keys, erased);
  }

  // --- One element, in memory of the host --------------------------------------------------------
  bulk_result insert(const K& key, const V& value) noexcept requires inserting_phase<P> {
    return one(key, answer::absent, [&](auto& part, const auto& k, std::uint64_t h) {
      return part.template insert<hidden>(k, h, value_image::of(value));
    });
  }
  bulk_result insert_or_assign(const K& key, const V& value) noexcept requires inserting_phase<P> {
    return one(key, answer::absent, [&](auto& part, const auto& k, std::uint64_t h) {
      return part.template assign<hidden>(k, h, value_image::of(value));
    });
  }
  bulk_result fetch_add(const K& key, const V& operand, V* before = nullptr) noexcept requires
      inserting_phase<P> && integral_value<V> {
    return one(key, answer::absent, [&](auto& part, const auto& k, std::uint64_t h) {
      value_image old;
      const answer a = part.template add<hidden>(k, h, value_image::of(operand), old);
      if (before != nullptr && a <= answer::present) *before = old.value();
      return a;
    });
  }
  // Returns the key's value; an empty optional where the key is absent, and after a failure.
  [[nodiscard]] std::optional<V> find(const K& key) noexcept requires finding_phase<P> {
    value_image value;
    bulk_result r;
    if constexpr (P == phase_kind::find_only)
      r = state_ == nullptr ? refused() : state_->find_one(key_image::of(key), value);
    else
      r = one(key, answer::present, [&value](auto& part, const auto& k, std::uint64_t h) {
        return part.find_among_writers(k, h, value);
      });
    return r.count == 0 ? std::nullopt : std::optional<V>(value.value());
  }
  bulk_result erase(const K& key) noexcept requires erasing_phase<P> {
    return one(key, answer::present,
               [](auto& part, const auto& k, std::uint64_t h) { return part.erase(k, h); });
  }

  // --- Kernels -----------------------------------------------------------------------------------
  // Returns the table for kernels, which take it by value (hash_map.cuh). Requires: all kernels
  // that use it have ended, by a synchronization of their streams, when the phase ends. Throws
  // rma_sync after the phase's end; rma_shared, with the ranks, where kernels here do not reach
  // every part.
  [[nodiscard]] hash_map_ref<K, V, P, L> ref() const {
    if (state_ == nullptr) throw error(errc::rma_sync, "hash_map: ref() of a phase that has ended");
    return {state_->bases(), static_cast<std::uint32_t>(state_->members().size()), state_->slots()};
  }

  // For hash_map.
  explicit hash_map_phase(state& s) : state_(&s) { s.enter(P); }

 private:
  [[nodiscard]] errc refusal(std::size_t keys, std::size_t values,
                             std::size_t flags) const noexcept {
    if (state_ == nullptr) return refused().outcome.code();
    if (values == keys && (flags == 0 || flags == keys)) return errc::success;
    return state_->refuse_sizes(keys, values, flags);
  }
  [[gnu::cold]] static bulk_result refused() noexcept {
    detail::note_failure(0, errc::rma_sync, "hash_map: an operation on a phase that has ended");
    return {0, errc::rma_sync};
  }
  template <class Work>
  bulk_result one(const K& key, answer counted, Work work) noexcept {
    if (state_ == nullptr) return refused();
    const key_image k = key_image::of(key);
    return state_->run_one(k, counted,
                           [&](auto& part, std::uint64_t h) { return work(part, k, h); });
  }
  // Counts and flags the answers that are `counted`.
  template <bool Writes, class Work>
  bulk_result each(std::span<const K> keys, std::size_t values, std::span<bool> flags,
                   answer counted, Work work) noexcept {
    if (const errc e = refusal(keys.size(), values, flags.size()); e != errc::success)
      return {0, e};
    for (bool& flag : flags) flag = false;
    return state_->template run<Writes>(
        keys, counted, [&](auto& part, const auto& key, std::uint64_t h, std::size_t i) {
          const answer a = work(part, key, h, i);
          if (!flags.empty()) flags[i] = a == counted;
          return a;
        });
  }

  bulk_result insert_here(std::span<const K> keys, std::span<const V> values,
                          std::span<bool> inserted) noexcept {
    return each<true>(keys, values.size(), inserted, answer::absent,
                      [&](auto& part, const auto& key, std::uint64_t h, std::size_t i) {
                        return part.template insert<hidden>(key, h, value_image::of(values[i]));
                      });
  }
  bulk_result assign_here(std::span<const K> keys, std::span<const V> values,
                          std::span<bool> inserted) noexcept {
    return each<true>(keys, values.size(), inserted, answer::absent,
                      [&](auto& part, const auto& key, std::uint64_t h, std::size_t i) {
                        return part.template assign<hidden>(key, h, value_image::of(values[i]));
                      });
  }
  bulk_result add_here(std::span<const K> keys, std::span<const V> operands,
                       std::span<V> before) noexcept {
    if (state_ != nullptr && !before.empty() && before.size() != keys.size())
      return {0, state_->refuse_sizes(keys.size(), operands.size(), before.size())};
    return each<true>(keys, operands.size(), {}, answer::absent,
                      [&](auto& part, const auto& key, std::uint64_t h, std::size_t i) {
                        value_image old;
                        const answer a =
                            part.template add<hidden>(key, h, value_image::of(operands[i]), old);
                        if (!before.empty() && a <= answer::present) before[i] = old.value();
                        return a;
                      });
  }
  bulk_result find_here(std::span<const K> keys, std::span<V> values,
                        std::span<bool> found) noexcept {
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
  bulk_result erase_here(std::span<const K> keys, std::span<bool> erased) noexcept {
    return each<true>(keys, keys.size(), erased, answer::present,
                      [](auto& part, const auto& key, std::uint64_t h, std::size_t) {
                        return part.erase(key, h);
                      });
  }

  state* state_;
};

}  // namespace oriel
