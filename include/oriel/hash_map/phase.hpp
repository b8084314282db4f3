// Phases of a hash map and the operations in them: see hash_map.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "oriel/detail/host_span.hpp"
#include "oriel/hash_map/found_values.hpp"
#include "oriel/hash_map/options.hpp"
#include "oriel/hash_map/state.hpp"
#include "oriel/phase_handle.hpp"

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
class [[nodiscard]] hash_map_phase
    : public phase_handle<detail::hash_map_state<detail::hash_slot<K, V, L>>> {
  using slot = detail::hash_slot<K, V, L>;
  using state = detail::hash_map_state<slot>;
  using handle = phase_handle<state>;
  using handle::state_;
  using key_image = typename slot::key_image;
  using value_image = typename slot::value_image;
  using answer = slot_answer;
  using action = detail::table_action;
  static constexpr bool hidden = P == phase_kind::mixed;
  static constexpr action inserts = hidden ? action::insert_hidden : action::insert;
  static constexpr action assigns = hidden ? action::assign_hidden : action::assign;
  static constexpr action adds = hidden ? action::add_hidden : action::add;

 public:
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
  // values[i] receives the value of keys[i] where it is present and stays as it is where not; no
  // other thread accesses `values` meanwhile.
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
    value_image v = value_image::of(value);
    return one<inserts>(key, answer::absent, v);
  }
  bulk_result insert_or_assign(const K& key, const V& value) noexcept requires inserting_phase<P> {
    value_image v = value_image::of(value);
    return one<assigns>(key, answer::absent, v);
  }
  bulk_result fetch_add(const K& key, const V& operand, V* before = nullptr) noexcept requires
      inserting_phase<P> && integral_value<V> {
    value_image v = value_image::of(operand);
    const bulk_result r = one<adds>(key, answer::absent, v);
    if (before != nullptr && r.outcome.ok()) *before = v.value();
    return r;
  }
  // Returns the key's value; an empty optional where the key is absent, and after a failure.
  [[nodiscard]] std::optional<V> find(const K& key) noexcept requires finding_phase<P> {
    value_image value{};
    bulk_result r;
    if constexpr (P == phase_kind::find_only)
      r = state_ == nullptr ? refused() : state_->batches().find_one(key_image::of(key), value);
    else
      r = one<action::find_among_writers>(key, answer::present, value);
    return r.count == 0 ? std::nullopt : std::optional<V>(value.value());
  }
  bulk_result erase(const K& key) noexcept requires erasing_phase<P> {
    value_image none{};
    return one<action::erase>(key, answer::present, none);
  }

  // --- Kernels -----------------------------------------------------------------------------------
  // Returns the table for kernels, which take it by value (hash_map.cuh). Requires: all kernels
  // that use it have ended, by a synchronization of their streams, when the phase ends. Throws
  // rma_sync after the phase's end; rma_shared, with the ranks, where kernels here do not reach
  // every part, and with the driver's reason where, in phases that write, their atomics on some
  // part would not be atomic with others.
  [[nodiscard]] hash_map_ref<K, V, P, L> ref() const {
    if (state_ == nullptr) throw error(errc::rma_sync, "hash_map: ref() of a phase that has ended");
    return {state_->bases(P), static_cast<std::uint32_t>(state_->members().size()),
            state_->slots()};
  }

  // For hash_map.
  explicit hash_map_phase(state& s) : handle(s, P) {}

 private:
  [[nodiscard]] errc refusal(std::size_t keys, std::size_t values,
                             std::size_t flags) const noexcept {
    if (state_ == nullptr) return refused().outcome.code();
    if (values == keys && (flags == 0 || flags == keys)) return errc::success;
    return state_->refuse_sizes(keys, values, flags);
  }
  [[gnu::cold]] static bulk_result refused() noexcept { return {0, handle::refused("hash_map")}; }
  template <action A>
  bulk_result one(const K& key, answer counted, value_image& value) noexcept {
    if (state_ == nullptr) return refused();
    return state_->batches().template run_one<A>(key_image::of(key), counted, value);
  }
  // Counts and flags the answers that are `counted`. `given(i)` goes to key i; `take` gets what
  // comes back where it is not full or stalled.
  template <action A, class Given, class Take>
  bulk_result each(std::span<const K> keys, std::size_t values, std::span<bool> flags,
                   answer counted, Given given, Take take) noexcept {
    if (const errc e = refusal(keys.size(), values, flags.size()); e != errc::success)
      return {0, e};
    for (bool& flag : flags) flag = false;
    return state_->batches().template run<A>(
        keys, counted, given, [&](std::size_t i, answer a, const value_image& value) {
          if (!flags.empty()) flags[i] = a == counted;
          take(i, a, value);
        });
  }
  static void nothing(std::size_t, answer, const value_image&) noexcept {}
  static value_image no_value(std::size_t) noexcept { return {}; }

  bulk_result insert_here(std::span<const K> keys, std::span<const V> values,
                          std::span<bool> inserted) noexcept {
    return each<inserts>(
        keys, values.size(), inserted, answer::absent,
        [&](std::size_t i) { return value_image::of(values[i]); }, nothing);
  }
  bulk_result assign_here(std::span<const K> keys, std::span<const V> values,
                          std::span<bool> inserted) noexcept {
    return each<assigns>(
        keys, values.size(), inserted, answer::absent,
        [&](std::size_t i) { return value_image::of(values[i]); }, nothing);
  }
  bulk_result add_here(std::span<const K> keys, std::span<const V> operands,
                       std::span<V> before) noexcept {
    if (state_ != nullptr && !before.empty() && before.size() != keys.size())
      return {0, state_->refuse_sizes(keys.size(), operands.size(), before.size())};
    return each<adds>(
        keys, operands.size(), {}, answer::absent,
        [&](std::size_t i) { return value_image::of(operands[i]); },
        [&](std::size_t i, answer a, const value_image& old) {
          if (!before.empty() && a <= answer::present) before[i] = old.value();
        });
  }
  bulk_result find_here(std::span<const K> keys, std::span<V> values,
                        std::span<bool> found) noexcept {
    if (const errc e = refusal(keys.size(), values.size(), found.size()); e != errc::success)
      return {0, e};
    if constexpr (P == phase_kind::find_only) {
      for (bool& flag : found) flag = false;
      return state_->batches().find(keys, detail::found_values<V>(values, found));
    } else {
      return each<action::find_among_writers>(
          keys, values.size(), found, answer::present, no_value,
          [&](std::size_t i, answer a, const value_image& value) {
            if (a == answer::present) values[i] = value.value();
          });
    }
  }
  bulk_result erase_here(std::span<const K> keys, std::span<bool> erased) noexcept {
    return each<action::erase>(keys, keys.size(), erased, answer::present, no_value, nothing);
  }
};

}  // namespace oriel
