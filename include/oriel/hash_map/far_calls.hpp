// The keys of a batch whose owners are on other nodes: they are collected and performed there, many
// in a message, by processes that map the owners' parts (detail/owner_calls.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "oriel/detail/owner_calls.hpp"
#include "oriel/hash_map/answer.hpp"
#include "oriel/hash_map/table_action.hpp"
#include "oriel/hash_map/table_words.hpp"

namespace oriel::detail {

// What travels of a key: it, and its value where the action wants one; back the answer, behind the
// value where one comes out.
template <class Slot>
struct far_form {
  using key_image = typename Slot::key_image;
  using value_image = typename Slot::value_image;

  static constexpr owner_call_sizes sizes(table_action a) noexcept {
    return {sizeof(key_image) + (gives_value(a) ? sizeof(value_image) : 0),
            sizeof(slot_answer) + (takes_value(a) ? sizeof(value_image) : 0)};
  }
  static void write_request(table_action a, std::byte* to, const key_image& key,
                            const value_image& value) noexcept {
    std::memcpy(to, &key, sizeof key);
    if (gives_value(a)) std::memcpy(to + sizeof key, &value, sizeof value);
  }
  static key_image key_of(const std::byte* request) noexcept {
    key_image key;
    std::memcpy(&key, request, sizeof key);
    return key;
  }
  static value_image value_of(table_action a, const std::byte* request) noexcept {
    value_image value{};
    if (gives_value(a)) std::memcpy(&value, request + sizeof(key_image), sizeof value);
    return value;
  }
  static void write_result(table_action a, std::byte* to, slot_answer answer,
                           const value_image& value) noexcept {
    if (takes_value(a)) {
      std::memcpy(to, &value, sizeof value);
      to += sizeof value;
    }
    *to = static_cast<std::byte>(answer);
  }
  // Returns the answer; `value` is left as it is where none came.
  static slot_answer read_result(table_action a, const std::byte* from,
                                 value_image& value) noexcept {
    if (takes_value(a)) {
      std::memcpy(&value, from, sizeof value);
      from += sizeof value;
    }
    return static_cast<slot_answer>(*from);
  }
};

// Collects one action's keys. Threads: one.
template <class Slot>
class far_calls {
 public:
  using key_image = typename Slot::key_image;
  using value_image = typename Slot::value_image;

  far_calls(any_window& window, table_action action, std::size_t keys) noexcept
      : window_(window), action_(action), most_(std::min(keys, longest)) {}

  [[nodiscard]] bool full() const noexcept { return n_ == most_; }
  [[nodiscard]] bool any() const noexcept { return n_ != 0; }
  // `index` of the key in its batch. Requires: not full. Returns no_mem where nothing was added.
  errc add(owner_call_place place, const key_image& key, const value_image& value,
           std::size_t index) noexcept {
    if (index_ == nullptr && !make_room()) return errc::no_mem;
    index_[n_] = index;
    places_[n_] = place;
    form::write_request(action_, &requests_[n_ * sizes_.request], key, value);
    ++n_;
    return errc::success;
  }
  // Performs what was added: calls take(owner, index, answer, value) for each, in order.
  template <class Take>
  status finish(Take take) noexcept {
    const std::size_t n = std::exchange(n_, 0);
    if (n == 0) return {};
    const status begun = window_.call_owners(static_cast<std::uint8_t>(action_),
                                             std::span<const owner_call_place>(places_.get(), n),
                                             requests_.get(), results_.get());
    const status ended = window_.flush_all(flush_scope::local);
    if (!begun.ok() || !ended.ok()) return begun.ok() ? ended : begun;
    value_image value{};
    for (std::size_t j = 0; j < n; ++j) {
      const slot_answer answer = form::read_result(action_, &results_[j * sizes_.result], value);
      take(places_[j].owner, index_[j], answer, value);
    }
    return {};
  }

 private:
  using form = far_form<Slot>;
  // As many as some packets take.
  static constexpr std::size_t longest = 8192;

  bool make_room() noexcept {
    index_.reset(new (std::nothrow) std::size_t[most_]);
    places_.reset(new (std::nothrow) owner_call_place[most_]);
    requests_.reset(new (std::nothrow) std::byte[most_ * sizes_.request]);
    results_.reset(new (std::nothrow) std::byte[most_ * sizes_.result]);
    return index_ != nullptr && places_ != nullptr && requests_ != nullptr && results_ != nullptr;
  }

  any_window& window_;
  table_action action_;
  owner_call_sizes sizes_ = form::sizes(action_);
  std::size_t most_;
  std::size_t n_ = 0;
  std::unique_ptr<std::size_t[]> index_;
  std::unique_ptr<owner_call_place[]> places_;
  std::unique_ptr<std::byte[]> requests_, results_;
};

}  // namespace oriel::detail
