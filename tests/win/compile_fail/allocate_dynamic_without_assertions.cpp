// Must not compile: a run-time window takes its assertions at construction.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(const team& t) {
#ifndef ORIEL_EXPECT_SUCCESS
  (void)window<int>::allocate(t, 4);
#endif
  (void)t;
}
