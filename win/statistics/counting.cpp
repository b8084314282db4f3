#include "win/statistics/counting.hpp"

#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"

namespace oriel::win {

bool counts_elements() {
  const auto value = sessions::variable("ORIEL_COUNT");
  if (value && *value != "0" && *value != "1")
    throw error(errc::arg, "ORIEL_COUNT is '" + *value + "'; valid: 0, 1");
  return value != "0";
}

}  // namespace oriel::win
