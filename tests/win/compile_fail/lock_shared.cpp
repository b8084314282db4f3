// Must not compile: the window promises exclusive_lock, and the call needs shared_lock.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::exclusive_lock)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  auto e = w.lock_shared(rank{0});
#endif
  (void)w;
}
