// Must not compile: the window promises shared_lock, and the call needs multi_element.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::shared_lock)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  w[rank{0}].write(disp{0}, {});
#endif
  (void)w;
}
