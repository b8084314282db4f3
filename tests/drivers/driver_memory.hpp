// What the test drivers of all vendors do alike for memory. Each names the outcomes by its own
// codes.
#pragma once

#include <optional>
#include <string>

#include "tests/drivers/device_heap.hpp"
#include "tests/drivers/ledger.hpp"
#include "tests/drivers/work_queue.hpp"

namespace oriel::test_driver {

// One vendor's codes for the heap's results.
template <class Code>
struct heap_codes {
  Code ok, out_of_memory, already_opened, own_handle, otherwise;

  Code operator()(heap_status status) const noexcept {
    switch (status) {
      case heap_status::ok:
        return ok;
      case heap_status::out_of_memory:
        return out_of_memory;
      case heap_status::already_opened:
        return already_opened;
      case heap_status::own_handle:
        return own_handle;
      case heap_status::unknown:
      case heap_status::stale_handle:
        break;
    }
    return otherwise;
  }
};

// `detail` gets the address, for the ledger.
inline heap_status allocate_fresh(residence where, int device, std::size_t bytes, void** base,
                                  std::string& detail) {
  const heap_status status = device_heap::instance().allocate(where, device, bytes, base);
  if (status != heap_status::ok) return status;
  // Fresh memory of a device is not zero: a caller that promises zeros must write them.
  fill_bytes(*base, 0xd5, bytes);
  detail = " -> " + text_of(*base);
  return status;
}

// Allocated here, or pinned.
inline std::optional<heap_allocation> find_any(const void* p) {
  auto found = device_heap::instance().find(p);
  return found ? found : device_heap::instance().find_pinned(p);
}

}  // namespace oriel::test_driver
