// Must not compile: bytes of a std::string cannot be moved.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(const team& t) {
#ifndef ORIEL_EXPECT_SUCCESS
  (void)window<std::string, assertion_set(assertion::fence)>::allocate(t, 4);
#endif
  (void)t;
}
