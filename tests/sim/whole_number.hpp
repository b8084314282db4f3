// Numbers on the command lines of simulate and sim-scale.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace oriel::sim {

// Returns the number that all of `text` stands for, in digits; nothing where it is none from
// `least` to `most`.
template <class Number>
std::optional<Number> whole_number(std::string_view text, Number least, Number most) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stop != end || value < least || value > most) return std::nullopt;
  return value;
}

}  // namespace oriel::sim
