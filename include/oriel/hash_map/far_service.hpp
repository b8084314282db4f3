// What a process does for ranks of other nodes on the parts that it maps: the other end of
// far_calls.hpp.
#pragma once

#include <cstddef>
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
    owner_calls calls{{}, this, perform_all};
    for (std::uint8_t a = 0; a < table_actions; ++a)
      calls.sizes[a] = form::sizes(static_cast<table_action>(a));
    return calls;
  }

 private:
  using form = far_form<Slot>;

  static void perform_all(void* self, const owner_call_block& block) noexcept {
    static_cast<far_service*>(self)->perform(block);
  }
  void perform(const owner_call_block& block) noexcept {
    const auto action = static_cast<table_action>(block.kind);
    const std::size_t result_bytes = form::sizes(action).result;
    for (std::size_t j = 0; j < block.n; ++j) {
      const std::byte* const request = block.requests + j * block.stride;
      auto value = form::value_of(action, request);
      const slot_answer answer = perform(action, block.owners[j], form::key_of(request), value);
      form::write_result(action, block.results + j * result_bytes, answer, value);
    }
  }
  [[nodiscard]] std::uint64_t* part_of(rank r) const noexcept {
    return parts_[static_cast<std::size_t>(r.value)];
  }
  // Whatever the message says: keys that belong elsewhere are refused.
  slot_answer perform(table_action action, rank owner, const typename Slot::key_image& key,
                      typename Slot::value_image& value) noexcept {
    std::uint64_t* const words = part_of(owner);
    const std::uint64_t h = hash_of(key);
    if (words == nullptr || Slot::reserved(key) ||
        shape_.owner(h) != static_cast<std::uint64_t>(owner.value))
      return slot_answer::refused;
    hash_part<Slot, host_words> part(host_words(words), shape_);
    switch (action) {
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
          return action == table_action::add ? act<table_action::add>(part, key, h, value)
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
