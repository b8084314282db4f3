// Must not compile: bytes of a std::string cannot be moved.
#include "oriel/hash_map.hpp"

using namespace oriel;

void use(const team& t) {
#ifndef ORIEL_EXPECT_SUCCESS
  hash_map<std::string, int> map(t, 1);
#endif
  (void)t;
}
