// Must not compile: the window promises fence, and the view needs a lock.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::fence)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  w[rank{0}][0] = 1;
#endif
  (void)w;
}
