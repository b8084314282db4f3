// The words of PTX.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::test_driver::ptx {

struct token {
  enum class kind : std::uint8_t { word, number, text, sign, end };
  kind what = kind::end;
  unsigned line = 0;
  std::string_view spelling;
  std::int64_t value = 0;  // a number's bits; of a floating one, those of its own size
};

// Words keep their dots: `ld.global.u32`, `%tid.x`, `.reg`. Throws `error` for other characters.
std::vector<token> words_of(std::string_view text);

}  // namespace oriel::test_driver::ptx
