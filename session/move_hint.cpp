#include "session/move_hint.hpp"

#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"

namespace oriel::sessions {

bool moves_private(const info& hints) {
  if (const auto hint = hints.get("oriel_move_private")) {
    if (*hint != "true" && *hint != "false")
      throw error(errc::info, "oriel_move_private is '" + *hint + "'; valid: true, false");
    return *hint == "true";
  }
  const auto value = variable("ORIEL_MOVE_PRIVATE");
  if (value && *value != "0" && *value != "1")
    throw error(errc::arg, "ORIEL_MOVE_PRIVATE is '" + *value + "'; valid: 0, 1");
  return value == "1";
}

}  // namespace oriel::sessions
