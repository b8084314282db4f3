// Must not compile: the window promises local_load_store, and the call needs remote_load_store.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::local_load_store)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  (void)w.remote(rank{0});
#endif
  (void)w;
}
