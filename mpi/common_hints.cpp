#include "mpi/common_hints.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "mpi/info_hints.hpp"
#include "oriel/errc.hpp"
#include "session/alignment_hint.hpp"

namespace oriel::mpi {
namespace {

constexpr const char* alignment_key = "mpi_minimum_memory_alignment";
constexpr const char* granularity_key = "mpi_accumulate_granularity";

// 0, which is the default, where the hint is absent or no number.
std::uint64_t granularity_in(const info& hints) {
  const std::string text = hints.get(granularity_key).value_or("");
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  return failure == std::errc{} && stop == end ? value : 0;
}

// 0 where the hint is absent or malformed.
std::uint64_t alignment_in(const info& hints) {
  try {
    return sessions::alignment_hint(hints, 0);
  } catch (const error&) {
    return 0;
  }
}

const char* text_of(bool value) noexcept {
  return value ? "true" : "false";
}

}  // namespace

common_hints common_hints::of(const info& given) {
  common_hints c;
  c.no_locks = is_true(given, "no_locks");
  c.unordered = given.get("accumulate_ordering") == "none";
  c.apart = is_true(given, "alloc_shared_noncontig");
  c.same_size = is_true(given, "same_size");
  c.same_unit = is_true(given, "same_disp_unit");
  c.same_op = given.get("accumulate_ops") == "same_op";
  c.granularity = granularity_in(given);
  c.left_to_host = is_false(given, "oriel");
  c.alignment = alignment_in(given);
  return c;
}

void common_hints::merge(const common_hints& other) noexcept {
  no_locks = no_locks && other.no_locks;
  unordered = unordered && other.unordered;
  apart = apart && other.apart;
  same_size = same_size && other.same_size;
  same_unit = same_unit && other.same_unit;
  same_op = same_op && other.same_op;
  if (granularity != other.granularity) granularity = 0;
  left_to_host = left_to_host || other.left_to_host;
  alignment = std::max(alignment, other.alignment);
}

info common_hints::needed_with(const info& own) const {
  info all = own;
  if (apart || own.contains("alloc_shared_noncontig"))
    all.set("alloc_shared_noncontig", text_of(apart));
  const bool malformed = own.contains(alignment_key) && alignment_in(own) == 0;
  if (alignment != 0 && !malformed) all.set(alignment_key, std::to_string(alignment));
  return all;
}

info common_hints::in_place_of(const info& own) const {
  info all = needed_with(own);
  all.set("no_locks", text_of(no_locks));
  all.set("accumulate_ordering", unordered ? "none" : "rar,raw,war,waw");
  all.set("alloc_shared_noncontig", text_of(apart));
  all.set("same_size", text_of(same_size));
  all.set("same_disp_unit", text_of(same_unit));
  all.set("accumulate_ops", same_op ? "same_op" : "same_op_no_op");
  all.set(granularity_key, std::to_string(granularity));
  return all;
}

}  // namespace oriel::mpi
