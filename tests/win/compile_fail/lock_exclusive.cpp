// Must not compile: the window promises shared_lock, and the call needs exclusive_lock.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::shared_lock)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  auto e = w.lock_exclusive(rank{0});
#endif
  (void)w;
}
