// The CUDA test driver's events, and waiting for everything.
#include <chrono>
#include <cstdint>
#include <memory>

#include "tests/drivers/cuda_driver.hpp"

struct CUevent_st {
  using time = std::chrono::steady_clock::time_point;
  std::shared_ptr<oriel::test_driver::work_queue> on;  // null until it is recorded
  std::uint64_t place = 0;                             // that `on` has reached once it has passed
  std::shared_ptr<time> passed;                        // of the last record
};

using namespace oriel::test_driver;

extern "C" {

CUresult cuCtxSynchronize() {
  return traced("cuCtxSynchronize", needs::context, "", [&](std::string&) {
    bool done = current_context()->legacy_stream->wait();
    for (const auto& [context, blocking, work] : streams_now())
      if (context == current_context()) done = work->wait() && done;
    return done ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
  });
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  return traced("cuEventCreate", needs::context, "", [&](std::string&) {
    *event = kept<CUevent_st>::make(new CUevent_st{});
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy(CUevent event) {
  return traced("cuEventDestroy_v2", needs::cuda, "", [&](std::string&) {
    kept<CUevent_st>::destroy(event);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return traced("cuEventRecord", needs::context, text_of(stream), [&](std::string&) {
    event->on = work_of(stream);
    event->passed = std::make_shared<CUevent_st::time>();
    next_of(stream).begin([passed = event->passed] {
      *passed = std::chrono::steady_clock::now();
      return true;
    });
    event->place = event->on->begun();
    return CUDA_SUCCESS;
  });
}

CUresult cuEventQuery(CUevent event) {
  return traced("cuEventQuery", needs::cuda, "", [&](std::string&) {
    if (!event->on || event->on->has_reached(event->place)) return CUDA_SUCCESS;
    const auto state = event->on->look();
    return state == work_queue::state::failed     ? CUDA_ERROR_ILLEGAL_ADDRESS
           : event->on->has_reached(event->place) ? CUDA_SUCCESS
                                                  : CUDA_ERROR_NOT_READY;
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return traced("cuEventSynchronize", needs::context, "", [&](std::string&) {
    const bool done = !event->on || event->on->reach(event->place);
    return done ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
  });
}

// Of streams that are captured none is followed.
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return traced("cuStreamWaitEvent", needs::context, text_of(stream), [&](std::string&) {
    if (!event->on) return CUDA_SUCCESS;
    if (work_of(stream)->captures() || event->on->captures())
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    next_of(stream).begin_kernel([on = event->on, place = event->place] {
      on->reach(place);  // what failed there is reported there
      return true;
    });
    return CUDA_SUCCESS;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return traced("cuEventElapsedTime", needs::context, "", [&](std::string&) {
    for (const CUevent event : {begin, end}) {
      if (!event->on) return CUDA_ERROR_INVALID_HANDLE;
      if (!event->on->has_reached(event->place)) return CUDA_ERROR_NOT_READY;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(*end->passed - *begin->passed).count();
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
