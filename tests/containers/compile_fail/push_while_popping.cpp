#include <oriel/queue.hpp>

void offend(oriel::queue<int>& queue) {
  auto p = queue.pop_only();
#ifndef ORIEL_EXPECT_SUCCESS
  static_cast<void>(p.push(1));
#endif
}
