// The keys of a batch whose owners are on other nodes: they are collected and performed there, many
// in a message, by processes that map the owners' parts (detail/owner_calls.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "oriel/detail/owner_calls.hpp"
#include "oriel/hash_map/table_action.hpp"
#include "oriel/hash_map/table_words.hpp"

namespace oriel::detail {

template <class Slot>
struct far_request {
  typename Slot::key_image key;
  typename Slot::value_image value;
};
template <class Slot>
struct far_result {
  std::uint64_t answer;  // a slot_answer
  typename Slot::value_image value;
};

// Collects one action's keys. Threads: one.
template <class Slot>
class far_calls {
 public:
  using value_image = typename Slot::value_image;

  far_calls(any_window& window, table_action action, std::size_t keys) noexcept
      : window_(window), action_(action), most_(std::min(keys, longest)) {}

  [[nodiscard]] bool full() const noexcept { return n_ == most_; }
  [[nodiscard]] bool any() const noexcept { return n_ != 0; }
  // Requires: not full. Returns no_mem where nothing was added.
  errc add(rank owner, const far_request<Slot>& request, std::size_t index) noexcept {
    if (index_ == nullptr && !make_room()) return errc::no_mem;
    index_[n_] = index;
    owners_[n_] = owner;
    requests_[n_] = request;
    ++n_;
    return errc::success;
  }
  // Performs what was added: calls take(owner, index, answer, value) for each, in order.
  template <class Take>
  status finish(Take take) noexcept {
    const std::size_t n = std::exchange(n_, 0);
    if (n == 0) return {};
    const status begun = window_.call_owners(static_cast<std::uint8_t>(action_),
                                             std::span<const rank>(owners_.get(), n),
                                             reinterpret_cast<const std::byte*>(requests_.get()),
                                             reinterpret_cast<std::byte*>(results_.get()));
    const status ended = window_.flush_all(flush_scope::local);
    if (!begun.ok() || !ended.ok()) return begun.ok() ? ended : begun;
    for (std::size_t j = 0; j < n; ++j)
      take(owners_[j], index_[j], static_cast<slot_answer>(results_[j].answer), results_[j].value);
    return {};
  }

 private:
  // As many as a few packets take.
  static constexpr std::size_t longest = 4096;

  bool make_room() noexcept {
    index_.reset(new (std::nothrow) std::size_t[most_]);
    owners_.reset(new (std::nothrow) rank[most_]);
    requests_.reset(new (std::nothrow) far_request<Slot>[most_]);
    results_.reset(new (std::nothrow) far_result<Slot>[most_]);
    return index_ != nullptr && owners_ != nullptr && requests_ != nullptr && results_ != nullptr;
  }

  any_window& window_;
  table_action action_;
  std::size_t most_;
  std::size_t n_ = 0;
  std::unique_ptr<std::size_t[]> index_;
  std::unique_ptr<rank[]> owners_;
  std::unique_ptr<far_request<Slot>[]> requests_;
  std::unique_ptr<far_result<Slot>[]> results_;
};

}  // namespace oriel::detail
