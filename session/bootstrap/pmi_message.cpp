#include "session/bootstrap/pmi_message.hpp"

#include <algorithm>
#include <charconv>

namespace oriel::sessions {
namespace {

constexpr std::string_view digits_of_hex = "0123456789abcdef";
constexpr std::size_t longest_quote = 80;

bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

// The value of one hexadecimal digit; -1 when it is none.
int digit(char c) {
  const auto at = digits_of_hex.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::optional<std::string_view> pmi_message::text(std::string_view field) const {
  const auto at = fields.find(field);
  return at == fields.end() ? std::nullopt : std::optional<std::string_view>(at->second);
}

std::optional<int> pmi_message::number(std::string_view field, int low, int high) const {
  const auto digits = text(field);
  if (!digits) return std::nullopt;
  int value = 0;
  const char* const end = digits->data() + digits->size();
  const auto [stop, failure] = std::from_chars(digits->data(), end, value);
  if (failure != std::errc{} || stop != end || value < low || value > high) return std::nullopt;
  return value;
}

std::optional<pmi_message> parse_pmi_message(std::string_view line) {
  if (line.size() > longest_pmi_line || !std::all_of(line.begin(), line.end(), is_printable))
    return std::nullopt;
  pmi_message message;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    if (word.empty()) continue;
    const auto equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (message.command.empty()) {
      if (name != "cmd" || value.empty()) return std::nullopt;
      message.command = value;
    } else if (name == "cmd" || !message.fields.emplace(name, value).second) {
      return std::nullopt;
    }
  }
  if (message.command.empty()) return std::nullopt;
  return message;
}

std::string to_hex(std::string_view bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += digits_of_hex[byte >> 4];
    digits += digits_of_hex[byte & 15];
  }
  return digits;
}

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit(digits[i]);
    const int low = digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string printable(std::string_view line) {
  std::string quote(line.substr(0, longest_quote));
  std::replace_if(
      quote.begin(), quote.end(), [](char c) { return !is_printable(c); }, '?');
  return line.size() > longest_quote ? quote + "…" : quote;
}

}  // namespace oriel::sessions
