// Must not compile: bytes of padding would be compared.
#include "oriel/hash_map.hpp"

using namespace oriel;

struct padded {
  int a;
  long b;
};
void use(const team& t) {
#ifndef ORIEL_EXPECT_SUCCESS
  hash_map<padded, int> map(t, 1);
#endif
  (void)t;
}
