// The CUDA test driver's events, and waiting for everything.
#include <chrono>

#include "tests/drivers/cuda_driver.hpp"

struct CUevent_st {
  CUstream stream = nullptr;
  CUcontext context = nullptr;
  std::chrono::steady_clock::time_point passed;
};

using namespace oriel::test_driver;

namespace {

work_queue& queue_of(CUevent event) {
  return event->stream == nullptr ? event->context->legacy_stream : event->stream->work;
}

}  // namespace

extern "C" {

CUresult cuCtxSynchronize() {
  return traced("cuCtxSynchronize", needs::context, "", [&](std::string&) {
    bool done = current_context()->legacy_stream.wait();
    for (const CUstream stream : kept<CUstream_st>::now())
      if (stream->context == current_context()) done = stream->work.wait() && done;
    return done ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
  });
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  return traced("cuEventCreate", needs::context, "", [&](std::string&) {
    *event = kept<CUevent_st>::make(new CUevent_st{});
    (*event)->context = current_context();
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy(CUevent event) {
  return traced("cuEventDestroy_v2", needs::cuda, "", [&](std::string&) {
    queue_of(event).wait();
    kept<CUevent_st>::destroy(event);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return traced("cuEventRecord", needs::context, text_of(stream), [&](std::string&) {
    event->stream = stream;
    queue_of(event).begin([event] {
      event->passed = std::chrono::steady_clock::now();
      return true;
    });
    return CUDA_SUCCESS;
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return traced("cuEventSynchronize", needs::context, "", [&](std::string&) {
    return queue_of(event).wait() ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return traced("cuEventElapsedTime", needs::context, "", [&](std::string&) {
    *milliseconds = std::chrono::duration<float, std::milli>(end->passed - begin->passed).count();
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
