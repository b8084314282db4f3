// What the files of the CUDA test driver share: contexts, and how a call is traced.
#pragma once

// The entry points are visible; everything else of the driver is hidden from the process.
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/drivers/host_call.hpp"
#include "tests/drivers/kept.hpp"
#include "tests/drivers/ledger.hpp"
#include "tests/drivers/switches.hpp"
#include "tests/drivers/work_queue.hpp"

struct CUctx_st {
  int device = 0;
  std::uint32_t peers = 0;  // bit n: peer access to device n is enabled
  std::shared_ptr<oriel::test_driver::work_queue> legacy_stream =
      std::make_shared<oriel::test_driver::work_queue>();
};
struct CUstream_st {
  CUcontext context = nullptr;
  bool blocking = false;  // with the default stream
  std::shared_ptr<oriel::test_driver::work_queue> work =
      std::make_shared<oriel::test_driver::work_queue>();
};

namespace oriel::test_driver {

// The current context of the calling thread; null when it has none.
CUcontext current_context();
// The stream's, or the default one's of the current context.
const std::shared_ptr<work_queue>& work_of(CUstream);
// The same for what is begun next. The default stream and those that are blocking wait for what was
// begun on each other before.
work_queue& next_of(CUstream);
// As they are now, of all contexts: other threads may destroy some, whose work stays.
std::vector<CUstream_st> streams_now();
// A stream is captured in a way that lets this thread allocate nothing.
bool captures_forbid_allocations();
// Set by cuInit; a forked child's is false again.
bool initialized();

inline CUdeviceptr device_pointer(const void* p) {
  return reinterpret_cast<CUdeviceptr>(p);
}
inline void* pointer(CUdeviceptr p) {
  return reinterpret_cast<void*>(p);
}

enum class needs { nothing, cuda, context };

// Runs a call's body unless the call must fail, and writes it to the ledger. `detail` is added to
// the result: what the call gave out.
template <class Body>
CUresult traced(std::string_view call, needs what, const std::string& arguments, Body body) {
  std::string detail;
  CUresult result = CUDA_SUCCESS;
  expect_no_host_function(call);
  if (must_fail(call))
    result = CUDA_ERROR_UNKNOWN;
  else if (what != needs::nothing && !initialized())
    result = CUDA_ERROR_NOT_INITIALIZED;
  else if (what == needs::context && current_context() == nullptr)
    result = CUDA_ERROR_INVALID_CONTEXT;
  else
    result = body(detail);
  record(call, arguments, std::to_string(result) + detail);
  return result;
}

}  // namespace oriel::test_driver
