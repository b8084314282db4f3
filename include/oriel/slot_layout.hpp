// The layouts of a distributed hash table's slots (docs/HASH_MAP.md).
#pragma once

#include <cstdint>

namespace oriel {

// `packed`: keys and values of 8 bytes. `general`: all others. `automatic` is packed where keys and
// values have 8 bytes.
enum class slot_layout : std::uint8_t { automatic, packed, general };

}  // namespace oriel
