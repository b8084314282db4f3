// Must not compile: nothing is found while all insert.
#include "oriel/hash_map.hpp"

using namespace oriel;

void use(hash_map<int, int>& map) {
  auto p = map.insert_only();
#ifndef ORIEL_EXPECT_SUCCESS
  (void)p.find(1);
#endif
}
