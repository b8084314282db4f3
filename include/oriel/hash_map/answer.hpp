// What the operations of a hash map on one key return in kernels, and in a phase inside of them.
#pragma once

#include <cstdint>

namespace oriel {

enum class slot_answer : std::uint8_t {
  absent,   // the key is not in the table, or was not until this call put it there
  present,  // it was there
  full,     // no slot is left for it; of a find in a few slots only: it is in none of them
  stalled,  // a thread began to write the slot and has not finished
  refused,  // the key is reserved
};

}  // namespace oriel
