// Must not compile: the window promises attach, so that what a rank has may change.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion::local_load_store | assertion::attach>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  static_cast<void>(w.reshape({.rows = 1, .columns = 1}));
#endif
  (void)w;
}
