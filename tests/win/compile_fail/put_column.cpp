// Must not compile: the window promises local_load_store, and the call needs user_datatype.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::local_load_store)>& w) {
  auto m = w.reshape({.rows = 1, .columns = 1});
#ifndef ORIEL_EXPECT_SUCCESS
  m.put_column({.peer = rank{0}});
#endif
  (void)m;
}
