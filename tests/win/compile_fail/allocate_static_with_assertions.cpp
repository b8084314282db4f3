// Must not compile: a fixed set is not given twice.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(const team& t) {
#ifndef ORIEL_EXPECT_SUCCESS
  (void)window<int, assertion_set(assertion::fence)>::allocate(t, 4, assertion::fence);
#endif
  (void)t;
}
