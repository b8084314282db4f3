// Must not compile: numbers cannot be waited for.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(std::vector<request>& requests, std::vector<int>& numbers) {
#ifndef ORIEL_EXPECT_SUCCESS
  static_cast<void>(when_all(numbers));
#endif
  static_cast<void>(when_all(requests));
  (void)numbers;
}
