// Must not compile: the window promises fence, and the call needs pscw.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::fence)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  w.wait();
#endif
  (void)w;
}
