#include "win/construct/left_out.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "oriel/errc.hpp"

namespace oriel::win {

left_out read_left_out() {
  left_out result;
  const char* const given = std::getenv("ORIEL_WITHOUT");
  std::string_view left = given == nullptr ? "" : given;
  while (!left.empty()) {
    const auto comma = left.find(',');
    const std::string_view word = left.substr(0, comma);
    left = comma == std::string_view::npos ? "" : left.substr(comma + 1);
    bool found = word == "cma";
    if (found) result.cma = true;
    for (const assertion a : all_assertions) {
      if (name(a) != word) continue;
      result.assertions = result.assertions | a;
      found = true;
    }
    if (!found)
      throw error(errc::arg, "ORIEL_WITHOUT names '" + std::string(word) +
                                 "'; valid: names of assertions, and cma, separated by commas");
  }
  return result;
}

}  // namespace oriel::win
