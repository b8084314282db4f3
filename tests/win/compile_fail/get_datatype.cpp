// Must not compile: the window promises fence, and the call needs user_datatype.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::fence)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  w.get(rank{0}, disp{0}, nullptr, shape{}, shape{});
#endif
  (void)w;
}
