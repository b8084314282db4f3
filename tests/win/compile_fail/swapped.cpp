// Must not compile: displacement and rank cannot be exchanged.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(const team& t) {
#ifndef ORIEL_EXPECT_SUCCESS
  window<int, assertion_set(assertion::fence)> w;
  w.put(disp{0}, rank{0}, 1);
#endif
  (void)t;
}
