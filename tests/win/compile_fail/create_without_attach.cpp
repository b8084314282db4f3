// Must not compile: a window without memory needs attach.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(const team& t) {
#ifndef ORIEL_EXPECT_SUCCESS
  (void)window<int, assertion_set(assertion::fence)>::create(t);
#endif
  (void)t;
}
