// Must not compile: packed slots are for 8 + 8 bytes.
#include "oriel/hash_map.hpp"

using namespace oriel;

void use(const team& t) {
#ifndef ORIEL_EXPECT_SUCCESS
  hash_map<int, long, slot_layout::packed> map(t, 1);
#endif
  (void)t;
}
