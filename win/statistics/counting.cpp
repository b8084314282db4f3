#include "win/statistics/counting.hpp"

#include "session/bootstrap/environment.hpp"

namespace oriel::win {

bool counts_elements() {
  return sessions::variable_switch("ORIEL_COUNT").value_or(true);
}

}  // namespace oriel::win
