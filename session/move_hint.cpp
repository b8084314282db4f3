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
  return variable_switch("ORIEL_MOVE_PRIVATE").value_or(false);
}

}  // namespace oriel::sessions
