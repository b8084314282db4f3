// The options of a hash map, beyond its types, and what its operations return.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "oriel/errc.hpp"

namespace oriel {

// All ranks give the same options.
struct hash_map_options {
  // Shown in every message about the map and its window.
  std::string name = "hash_map";
  // Expected elements over slots, in (0, 1]. Lower is faster and larger.
  double load_factor = 0.5;
  // The kind of the table's memory, as window_options::memory_kind: "cuda:device", say. Empty: the
  // node's shared memory. Requires: the session provides the kind (else unsupported_kind).
  std::string memory_kind{};
};

// The operations that a phase allows every rank.
enum class phase_kind : std::uint8_t {
  insert_only,  // insert, insert_or_assign, fetch_add
  find_only,    // find
  mixed,        // all of these, and erase
};

// Values to which fetch_add adds.
template <class V>
concept integral_value = std::integral<V> && !std::same_as<V, bool>;

struct bulk_result {
  // Keys that the call inserted (insert, insert_or_assign, fetch_add), found or erased; elements
  // that it pushed or popped.
  std::size_t count = 0;
  // The first failure; the elements after it were left out, or worked on in part.
  status outcome{};
};

}  // namespace oriel
