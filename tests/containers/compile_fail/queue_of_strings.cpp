#include <oriel/queue.hpp>

#include <string>

#ifndef ORIEL_EXPECT_SUCCESS
using element = std::string;
#else
using element = int;
#endif
oriel::queue<element>* offend = nullptr;
void construct(const oriel::team& team) {
  offend = new oriel::queue<element>(team, 1);
}
