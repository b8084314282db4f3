#include "session/aggregate_hint.hpp"

#include <charconv>
#include <string>

#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"

namespace oriel::sessions {

bool aggregates(const info& hints) {
  if (const auto hint = hints.get("oriel_aggregate")) {
    if (*hint != "true" && *hint != "false")
      throw error(errc::info, "oriel_aggregate is '" + *hint + "'; valid: true, false");
    return *hint == "true";
  }
  return variable_switch("ORIEL_AGGREGATE").value_or(false);
}

std::size_t aggregate_bytes() {
  constexpr std::size_t otherwise = std::size_t{32} << 20;
  constexpr std::size_t least = std::size_t{64} << 10;
  const auto value = variable("ORIEL_AGGREGATE_BYTES");
  if (!value) return otherwise;
  std::size_t bytes = 0;
  const char* const end = value->data() + value->size();
  const auto [stop, failure] = std::from_chars(value->data(), end, bytes);
  if (failure != std::errc{} || stop != end || bytes < least)
    throw error(errc::arg, "ORIEL_AGGREGATE_BYTES is '" + *value + "'; valid: from " +
                               std::to_string(least) + " on");
  return bytes;
}

}  // namespace oriel::sessions
