// Where in the user's program an operation was called: what ORIEL_CHECK=1 prints.
#pragma once

#include <cstdint>

namespace oriel {

// std::source_location is not used because clang 14 has no builtin for it. The values are constants
// of the caller and cost nothing where the call is inlined and they are not read.
struct call_site {
  const char* file = "";
  std::uint32_t line = 0;

  // Returns the place of the call in which it is a default argument.
  static constexpr call_site here(const char* file = __builtin_FILE(),
                                  std::uint32_t line = __builtin_LINE()) noexcept {
    return call_site{file, line};
  }
};

}  // namespace oriel
