// The texts of a hash map's failures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "oriel/hash_map/options.hpp"

namespace oriel::detail {

inline std::string reserved_key_words(std::uint64_t key) {
  return "the key " + std::to_string(key) +
         " is reserved: packed slots keep the three highest values of 8 bytes for themselves; "
         "slot_layout::general takes every key";
}

inline std::string full_part_words(int owner, std::uint64_t slots) {
  return "the part of rank " + std::to_string(owner) + " is full: all of its " +
         std::to_string(slots) +
         " slots are taken, those of erased elements among them (load 1.00); expect more elements, "
         "or clear the map";
}

inline std::string unfinished_slot_words(int owner) {
  return "a slot of rank " + std::to_string(owner) +
         " is being written by a rank that does not finish; it may have died";
}

inline std::string unreached_words(int me, const std::string& ranks) {
  return "kernels of rank " + std::to_string(me) + " do not reach the parts of ranks " + ranks +
         ": they are on other nodes, or their memory cannot be opened here";
}

inline std::string unlinked_words(int me, int other, const std::string& why) {
  return "kernels of rank " + std::to_string(me) + " write no part of rank " +
         std::to_string(other) + ", where others do: " + why +
         "; they may find, and the host inserts";
}

inline std::string no_streams_words() {
  return "phases in the order of streams are for tables in memory of a device's kind "
         "(hash_map_options::memory_kind)";
}

inline std::string different_sizes_words(std::size_t keys, std::size_t values,
                                         std::size_t answers) {
  return "spans of " + std::to_string(keys) + " keys, " + std::to_string(values) + " values and " +
         std::to_string(answers) + " answers; all have one size, or there are no answers";
}

inline std::string written_table_words(const char* call, phase_kind open, int me) {
  return std::string(call) + " in " + (open == phase_kind::mixed ? "a mixed" : "an insert_only") +
         " phase of rank " + std::to_string(me) +
         ", where ranks write; end it first, or open find_only";
}

}  // namespace oriel::detail
