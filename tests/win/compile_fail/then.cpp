// Must not compile: what follows returns neither a status nor a completion.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(request r) {
#ifndef ORIEL_EXPECT_SUCCESS
  static_cast<void>(std::move(r).then([] { return 42; }));
#endif
  (void)r;
}
