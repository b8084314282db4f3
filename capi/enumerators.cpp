#include "capi/enumerators.hpp"

#include <string>

namespace oriel::capi {

void refuse_number(const enumeration_text& text, int number) {
  throw error(text.code, std::to_string(number) + " is no " + text.what + "; valid: " + text.valid);
}

void refuse_mode(int mode) {
  const std::uint32_t wrong = static_cast<std::uint32_t>(mode) & ~every_mode.bits;
  throw error(errc::arg, "the mode " + std::to_string(mode) + " has bits that promise nothing (" +
                             std::to_string(wrong) +
                             "); valid: ORIEL_MODE_NONE, or a sum of different ORIEL_MODE_…");
}

}  // namespace oriel::capi
