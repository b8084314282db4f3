// How instructions round floating-point numbers: as the processor does when it is told so.
#pragma once

#include <cfenv>
#include <cstdint>
#include <string_view>

namespace oriel::test_driver::ptx {

// Of an instruction's variant.
constexpr std::uint8_t rounds_down = 1, rounds_up = 2, rounds_to_zero = 3, direction = 3;
constexpr std::uint8_t flushes = 4;      // subnormal operands and results of f32 are 0
constexpr std::uint8_t saturates = 8;    // to 0 and 1
constexpr std::uint8_t to_integer = 16;  // rounds to one

// Adds what one qualifier says: rn, rni, ftz, sat, … Returns false for others.
inline bool add_rounding(std::string_view word, std::uint8_t& how) {
  if (word == "ftz" || word == "sat") {
    how |= word == "ftz" ? flushes : saturates;
    return true;
  }
  if (word.size() < 2 || word.size() > 3 || word[0] != 'r') return false;
  if (word.size() == 3) {
    if (word[2] != 'i') return false;
    how |= to_integer;
  }
  if (word[1] == 'm') how |= rounds_down;
  if (word[1] == 'p') how |= rounds_up;
  if (word[1] == 'z') how |= rounds_to_zero;
  return word[1] == 'n' || (how & direction) != 0;
}

// While it lives the thread computes so. What is computed must be volatile, or the compiler moves
// it out of here.
class rounding_scope {
 public:
  explicit rounding_scope(std::uint8_t how) {
    constexpr int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    changed_ = (how & direction) != 0;
    if (changed_) std::fesetround(modes[how & direction]);
  }
  ~rounding_scope() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  bool changed_;
};

}  // namespace oriel::test_driver::ptx
