// Whether single elements on mapped memory are counted, and where: chosen once a window.
#pragma once

#include <cstdint>
#include <type_traits>

namespace oriel::win {

enum class counting : std::uint8_t {
  off,         // ORIEL_COUNT=0
  by_process,  // no two threads are in oriel at once: all in the same tallies
  by_thread,   // each in its own
};

// By ORIEL_COUNT, else true. Throws arg for a value that is not valid.
bool counts_elements();

// Calls `f` with the value as a constant.
template <class F>
void with_counting(counting how, F f) {
  switch (how) {
    case counting::off:
      return f(std::integral_constant<counting, counting::off>{});
    case counting::by_process:
      return f(std::integral_constant<counting, counting::by_process>{});
    case counting::by_thread:
      return f(std::integral_constant<counting, counting::by_thread>{});
  }
}

}  // namespace oriel::win
