// Must not compile: the window promises attach, so that what a rank has may change.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion::shared_lock | assertion::attach>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  static_cast<void>(w[rank{0}].begin());
#endif
  (void)w;
}
