// OFFENCE in a PHASE of a MAP, which the file that includes this defines.
#include "oriel/hash_map.hpp"

using namespace oriel;

void use(MAP& map) {
  auto p = map.PHASE;
#ifndef ORIEL_EXPECT_SUCCESS
  (void)p.OFFENCE;
#endif
}
