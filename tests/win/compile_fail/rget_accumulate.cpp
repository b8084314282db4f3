// Must not compile: the window promises fence, and the call needs multi_element.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::fence)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  w.rget_accumulate(atomic_op::sum, rank{0}, disp{0}, {}, {});
#endif
  (void)w;
}
