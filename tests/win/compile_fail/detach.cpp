// Must not compile: the window promises fence, and the call needs attach.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::fence)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  w.detach(segment_handle{});
#endif
  (void)w;
}
