// Must not compile: the first window promises fence, and the call needs a lock of each.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::shared_lock)>& locked,
         window<double, assertion_set(assertion::fence)>& fenced) {
#ifndef ORIEL_EXPECT_SUCCESS
  flush(fenced, locked);
#endif
  flush(locked).or_throw();
  (void)fenced;
}
