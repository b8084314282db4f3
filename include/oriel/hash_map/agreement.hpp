// What the ranks agree on before a hash map has a window.
#pragma once

#include <cstdint>
#include <string>

#include "oriel/detail/agreed.hpp"
#include "oriel/detail/named_call.hpp"
#include "oriel/hash_map/options.hpp"
#include "oriel/hash_map/table_layout.hpp"
#include "oriel/hash_map/table_words.hpp"
#include "oriel/team.hpp"

namespace oriel::detail {

// Whether the host works on memory of this kind by load and store.
inline bool host_loads(const std::string& kind) {
  return !kind.ends_with(":device") && !kind.ends_with(":managed") && !kind.ends_with(":shared");
}

// `packed`: the table's slots are. Throws where the ranks' arguments differ.
inline table_shape agreed_shape(const team& members, std::uint64_t expected,
                                const hash_map_options& options, bool packed) {
  const auto ranks = static_cast<std::uint64_t>(members.size());
  const std::uint64_t mine =
      slots_for(expected, ranks, options.load_factor, packed && !host_loads(options.memory_kind));
  const std::string map = "hash_map '" + options.name + "': ";
  const named_call here(map, "construction");
  require_agreed(members, mine, [&map](auto least, auto most) {
    return map + "the ranks request parts of " + std::to_string(least) + " to " +
           std::to_string(most) + " slots; give all the same expectation and load";
  });
  if (mine == 0)
    throw error(errc::arg, map + "no table holds " + std::to_string(expected) +
                               " elements at a load factor of " +
                               std::to_string(options.load_factor) +
                               "; the load factor is above 0 and at most 1");
  return table_shape::of(mine, ranks);
}

// A device may hold memory and have no kernels that do atomics on it, so every rank tries one on
// its own part. All ranks throw where one of them cannot.
inline void try_atomics(hash_map_window& window, bool loads, const std::string& name,
                        const std::string& kind) {
  const team members = window.members();
  const rank me = members.me();
  std::uint64_t before = 0;
  const bool can = loads || window.compare_swap(me, disp{0}, 0, 0, before).ok();
  const auto none = static_cast<std::int32_t>(members.size());
  const auto first = members.allreduce(can ? none : me.value, atomic_op::min);
  if (first == none) return;
  throw error(errc::unsupported_kind, "hash_map '" + name + "': a table needs atomics, and rank " +
                                          std::to_string(first) + " has none on memory of kind '" +
                                          kind + "'" + (can ? "" : ": " + window.failure()));
}

}  // namespace oriel::detail
