// Must not compile: the window promises pscw, and the call needs fence.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::pscw)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  w.fence();
#endif
  (void)w;
}
