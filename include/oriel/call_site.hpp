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

  // The `line` of a place in machine code, whose address is in `file`.
  static constexpr std::uint32_t in_code = 0xffffffff;
  // Returns the place to which a call returns: for faces whose callers give no source line.
  static call_site returning_to(const void* code) noexcept {
    return call_site{static_cast<const char*>(code), in_code};
  }
};

}  // namespace oriel
