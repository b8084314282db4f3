// Must not compile: a rank is not a number.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(const team& t) {
#ifndef ORIEL_EXPECT_SUCCESS
  window<int, assertion_set(assertion::fence)> w;
  w.put(0, disp{0}, 1);
#endif
  (void)t;
}
