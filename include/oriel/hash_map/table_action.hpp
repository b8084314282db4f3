// What a batch does with one key: the same by the process that works on the batch, and by one of
// the owner's node where that is another.
#pragma once

#include <cstdint>

#include "oriel/hash_map/table_part.hpp"

namespace oriel::detail {

// `hidden`: no thread sees the key before its value (table_part.hpp).
enum class table_action : std::uint8_t {
  insert,
  insert_hidden,
  assign,
  assign_hidden,
  add,
  add_hidden,
  find,
  find_among_writers,
  erase,
};
inline constexpr std::uint8_t table_actions = 9;

constexpr bool writes(table_action a) noexcept {
  return a != table_action::find && a != table_action::find_among_writers;
}
// Whether a value goes in, and whether one comes out.
constexpr bool gives_value(table_action a) noexcept {
  return writes(a) && a != table_action::erase;
}
constexpr bool takes_value(table_action a) noexcept {
  return !writes(a) || a == table_action::add || a == table_action::add_hidden;
}

// `value` goes in, and comes out: of a find the key's value, of an add the value before.
template <table_action A, class Slot, class Words, bool Dense>
slot_answer act(hash_part<Slot, Words, Dense>& part, const typename Slot::key_image& key,
                std::uint64_t h, typename Slot::value_image& value) noexcept {
  using enum table_action;
  if constexpr (A == insert || A == insert_hidden) {
    return part.template insert<A == insert_hidden>(key, h, value);
  } else if constexpr (A == assign || A == assign_hidden) {
    return part.template assign<A == assign_hidden>(key, h, value);
  } else if constexpr (A == add || A == add_hidden) {
    typename Slot::value_image before{};
    const slot_answer answer = part.template add<A == add_hidden>(key, h, value, before);
    value = before;
    return answer;
  } else if constexpr (A == find) {
    return part.find(key, h, value);
  } else if constexpr (A == find_among_writers) {
    return part.find_among_writers(key, h, value);
  } else {
    return part.erase(key, h);
  }
}

}  // namespace oriel::detail
