// Text of the program's, as it goes into files and pages that others read as UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

namespace oriel::sessions {
namespace utf8 {

constexpr std::size_t longest_character = 4;  // bytes

constexpr bool follows(unsigned char c) noexcept {
  return (c & 0xc0) == 0x80;
}

// Bytes of the character that `text` begins with; 0 where it begins with none. Those that are
// longer than they need be, surrogates, and what lies beyond the last character are none.
constexpr std::size_t character(std::string_view text) noexcept {
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if (!follows(at(i))) return 0;
  const unsigned char second = at(1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return bytes;
}

}  // namespace utf8

// Puts a question mark in the place of each byte that is no part of a character.
constexpr void make_utf8(std::span<char> text) noexcept {
  while (!text.empty()) {
    const std::size_t bytes = utf8::character({text.data(), text.size()});
    if (bytes == 0) text[0] = '?';
    text = text.subspan(std::max<std::size_t>(bytes, 1));
  }
}

// Returns as many bytes of its beginning as there is room for, and no part of a character.
constexpr std::string_view cut_text(std::string_view text, std::size_t room) noexcept {
  if (text.size() <= room) return text;
  for (std::size_t back = 0; back < utf8::longest_character && back <= room; ++back)
    if (!utf8::follows(static_cast<unsigned char>(text[room - back])))
      return text.substr(0, room - back);
  return text.substr(0, room);
}

}  // namespace oriel::sessions
