// Must not compile: the window promises fence, and the call needs notify.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::fence)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  w.put_notify(rank{0}, disp{0}, 1, 0);
#endif
  (void)w;
}
