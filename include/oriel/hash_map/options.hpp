// The options of a hash map, beyond its types, and the results of its operations.
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
  // Elements over slots that the table is made for: in (0, 1]. Lower is faster and larger.
  double load_factor = 0.5;
  // Where the table lies, as window_options::memory_kind: "cuda:device", say. Empty: the node's
  // shared memory. The session must provide the kind.
  std::string memory_kind{};
};

// What a collective phase lets every rank do, until it ends.
enum class phase_kind : std::uint8_t {
  insert_only,  // insert, insert_or_assign, fetch_add
  find_only,    // find
  mixed,        // all of these, and erase
};

// Values that fetch_add adds to.
template <class V>
concept integral_value = std::integral<V> && !std::same_as<V, bool>;

struct bulk_result {
  // Keys that the call inserted (insert, insert_or_assign, fetch_add), found or erased.
  std::size_t count = 0;
  // The first failure; elements after it were not worked on, or only in part.
  status outcome{};
};

}  // namespace oriel
