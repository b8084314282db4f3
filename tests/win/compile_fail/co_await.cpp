// Must not compile: a number cannot be waited for.
#include "oriel/oriel.hpp"

using namespace oriel;

task<> use(request r, int number) {
#ifndef ORIEL_EXPECT_SUCCESS
  co_await number;
#endif
  static_cast<void>(co_await r);
  (void)number;
}
