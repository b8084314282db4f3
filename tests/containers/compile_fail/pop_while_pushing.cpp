#include <oriel/queue.hpp>

void offend(oriel::queue<int>& queue) {
  auto p = queue.push_only();
  int value = 0;
#ifndef ORIEL_EXPECT_SUCCESS
  static_cast<void>(p.pop(value));
#endif
  static_cast<void>(value);
}
