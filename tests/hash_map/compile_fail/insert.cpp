// Must not compile: nothing is inserted while all find.
#include "oriel/hash_map.hpp"

using namespace oriel;

void use(hash_map<int, int>& map) {
  auto p = map.find_only();
#ifndef ORIEL_EXPECT_SUCCESS
  (void)p.insert(1, 2);
#endif
}
