// Must not compile: the window promises fence, and the call needs notify.
#include "oriel/oriel.hpp"

using namespace oriel;

void use(window<int, assertion_set(assertion::fence)>& w) {
#ifndef ORIEL_EXPECT_SUCCESS
  std::size_t counter = 0;
  const std::uint64_t at_least[] = {1};
  w.wait_notify_any(0, at_least, counter);
#endif
  (void)w;
}
