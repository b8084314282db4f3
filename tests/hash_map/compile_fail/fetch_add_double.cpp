// Must not compile: only integers are added to.
#include "oriel/hash_map.hpp"

using namespace oriel;

void use(hash_map<int, double>& map) {
  auto p = map.mixed();
#ifndef ORIEL_EXPECT_SUCCESS
  (void)p.fetch_add(1, 2.0);
#endif
}
