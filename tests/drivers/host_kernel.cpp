// Device code that the host's compiler has compiled, run as a kernel of the driver's devices.
#include "tests/drivers/device_heap.hpp"
#include "tests/drivers/room.hpp"

// Runs `body(argument)` as a kernel of this process's devices would run: it may load and store
// device memory, and fills the room of a block. What tests look up in a driver's library.
extern "C" [[gnu::visibility("default")]] void oriel_test_run_kernel(void (*body)(void*),
                                                                     void* argument) {
  const auto resident = oriel::test_driver::room::take();
  oriel::test_driver::device_heap::instance().enter_kernel();
  body(argument);
  oriel::test_driver::device_heap::instance().leave_kernel();
}
