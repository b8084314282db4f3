// What the files of the HIP test driver share: devices, streams, and how a call is traced.
#pragma once

// The entry points are visible; everything else of the driver is hidden from the process.
#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include <string>
#include <string_view>

#include "tests/drivers/host_call.hpp"
#include "tests/drivers/ledger.hpp"
#include "tests/drivers/switches.hpp"
#include "tests/drivers/work_queue.hpp"

// HIP leaves the type of streams to the runtime.
struct ihipStream_t {
  int device = 0;
  oriel::test_driver::work_queue work;
};

namespace oriel::test_driver {

// Of the calling thread; the first one until it chooses.
int current_device();
// Device `to` reaches memory of device `from` since hipDeviceEnablePeerAccess.
bool peer_enabled(int to, int from);
// The stream itself, or the current device's default one.
ihipStream_t& stream_of(hipStream_t stream);

// Memory that streams may wait for.
void note_signal(const void*);
bool forget_signal(const void*);

// Remembers a failure for hipGetLastError, as HIP does for every call.
hipError_t noted(hipError_t result);

// Runs a call's body unless the call must fail, and writes it to the ledger. `detail` is added to
// the result: what the call gave out.
template <class Body>
hipError_t traced(std::string_view call, const std::string& arguments, Body body) {
  std::string detail;
  hipError_t result = hipErrorUnknown;
  expect_no_host_function(call);
  if (!must_fail(call)) result = devices() == 0 ? hipErrorNoDevice : body(detail);
  record(call, arguments, std::to_string(static_cast<int>(result)) + detail);
  return noted(result);
}

}  // namespace oriel::test_driver
