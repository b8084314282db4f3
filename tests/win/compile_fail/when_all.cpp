// Must not compile: a number cannot be waited for.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(request r, int number) {
#ifndef ORIEL_EXPECT_SUCCESS
  static_cast<void>(when_all(r, number));
#endif
  static_cast<void>(when_all(r));
  (void)number;
}
