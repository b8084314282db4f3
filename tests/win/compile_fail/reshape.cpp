// Must not compile: the window promises fence, and the call needs local_load_store.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::fence)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  static_cast<void>(w.reshape({.rows = 1, .columns = 1}));
#endif
  (void)w;
}
