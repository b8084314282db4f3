// What a process does for ranks of other nodes on the parts that it maps: the other end of
// far_calls.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "oriel/hash_map/far_calls.hpp"

namespace oriel::detail {

// Threads: perform() is called by one at a time; it reads what does not change.
template <class Slot>
class far_service {
 public:
  // Outlives the window. `parts`: by rank; null where it is not mapped here.
  far_service(const std::vector<std::uint64_t*>& parts, const table_shape& shape) noexcept
      : parts_(parts), shape_(shape) {}

  [[nodiscard]] owner_calls calls() noexcept {
    return {sizeof(far_request<Slot>), sizeof(far_result<Slot>), this, perform_all};
  }

 private:
  static void perform_all(void* self, const owner_call_block& block) noexcept {
    static_cast<far_service*>(self)->perform(block);
  }
  void perform(const owner_call_block& block) noexcept {
    constexpr std::size_t at_once = 32;
    std::array<far_request<Slot>, at_once> requests;
    std::array<std::uint64_t, at_once> hashes;
    for (std::size_t first = 0; first < block.n; first += at_once) {
      const std::size_t n = std::min(block.n - first, at_once);
      for (std::size_t j = 0; j < n; ++j) {
        std::memcpy(&requests[j], block.requests + (first + j) * block.stride, sizeof requests[j]);
        hashes[j] = hash_of(requests[j].key);
        const std::uint64_t* const part = part_of(block.owners[first + j]);
        if (part != nullptr) __builtin_prefetch(part + (hashes[j] & shape_.mask) * Slot::words, 1);
      }
      for (std::size_t j = 0; j < n; ++j) {
        far_result<Slot> result;
        result.value = requests[j].value;
        result.answer = static_cast<std::uint64_t>(
            perform(block.kind, block.owners[first + j], requests[j].key, hashes[j], result.value));
        std::memcpy(block.results + (first + j) * sizeof result, &result, sizeof result);
      }
    }
  }
  [[nodiscard]] std::uint64_t* part_of(rank r) const noexcept {
    return parts_[static_cast<std::size_t>(r.value)];
  }
  // Whatever the message says: keys that belong elsewhere are refused.
  slot_answer perform(std::uint8_t kind, rank owner, const typename Slot::key_image& key,
                      std::uint64_t h, typename Slot::value_image& value) noexcept {
    std::uint64_t* const words = part_of(owner);
    if (words == nullptr || Slot::reserved(key) ||
        shape_.owner(h) != static_cast<std::uint64_t>(owner.value))
      return slot_answer::refused;
    hash_part<Slot, host_words> part(host_words(words), shape_);
    switch (static_cast<table_action>(kind)) {
      case table_action::insert:
        return act<table_action::insert>(part, key, h, value);
      case table_action::insert_hidden:
        return act<table_action::insert_hidden>(part, key, h, value);
      case table_action::assign:
        return act<table_action::assign>(part, key, h, value);
      case table_action::assign_hidden:
        return act<table_action::assign_hidden>(part, key, h, value);
      case table_action::add:
      case table_action::add_hidden:
        if constexpr (Slot::adds)
          return kind == static_cast<std::uint8_t>(table_action::add)
                     ? act<table_action::add>(part, key, h, value)
                     : act<table_action::add_hidden>(part, key, h, value);
        return slot_answer::refused;
      case table_action::find:
        return act<table_action::find>(part, key, h, value);
      case table_action::find_among_writers:
        return act<table_action::find_among_writers>(part, key, h, value);
      case table_action::erase:
        return act<table_action::erase>(part, key, h, value);
    }
    return slot_answer::refused;
  }

  const std::vector<std::uint64_t*>& parts_;
  const table_shape& shape_;
};

}  // namespace oriel::detail
