// The CUDA test driver's streams beyond copies and kernels: functions of the host, waits for values
// in memory, and graphs that are captured from streams and launched again. A captured stream is one
// stream: those that join it by events are not followed.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/drivers/cuda_driver.hpp"
#include "tests/drivers/driver_memory.hpp"
#include "tests/drivers/host_call.hpp"

struct CUgraph_st {
  oriel::test_driver::work_queue::recording pieces;
};
struct CUgraphExec_st {
  oriel::test_driver::work_queue::recording pieces;
};

namespace oriel::test_driver {
namespace {

std::atomic<int> global_captures{0};
thread_local CUstreamCaptureMode mode_of_thread = CU_STREAM_CAPTURE_MODE_GLOBAL;

bool is_current(CUstream stream) {
  return stream == nullptr || stream->context == current_context();
}

// What is begun on `queue` next waits for what was begun on `other`.
void follow(work_queue& queue, const std::shared_ptr<work_queue>& other) {
  const std::uint64_t place = other->begun();
  if (other->has_reached(place)) return;
  queue.begin_kernel([other, place] {
    other->reach(place);  // what failed there is reported there
    return true;
  });
}

}  // namespace

const std::shared_ptr<work_queue>& work_of(CUstream stream) {
  return stream == nullptr ? current_context()->legacy_stream : stream->work;
}

std::vector<CUstream_st> streams_now() {
  return kept<CUstream_st>::from_each([](CUstream s) { return *s; });
}

work_queue& next_of(CUstream stream) {
  work_queue& queue = *work_of(stream);
  if (queue.captures()) return queue;
  if (stream != nullptr && stream->blocking) follow(queue, stream->context->legacy_stream);
  if (stream == nullptr)
    for (const auto& [context, blocking, work] : streams_now())
      if (blocking && context == current_context()) follow(queue, work);
  return queue;
}

bool captures_forbid_allocations() {
  return mode_of_thread == CU_STREAM_CAPTURE_MODE_GLOBAL && global_captures.load() != 0;
}

}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* argument) {
  return traced("cuLaunchHostFunc", needs::context, text_of(stream), [&](std::string&) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!is_current(stream)) return CUDA_ERROR_INVALID_HANDLE;
    next_of(stream).begin_kernel([=] { return call_host(function, argument); });
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
  const std::string arguments = text_of(stream) + ", " + text_of(at) + ", " + std::to_string(value);
  return traced("cuStreamWaitValue64_v2", needs::context, arguments, [&](std::string&) {
    if (refuses("wait_value")) return CUDA_ERROR_NOT_SUPPORTED;
    if (flags != CU_STREAM_WAIT_VALUE_GEQ || at % 8 != 0) return CUDA_ERROR_INVALID_VALUE;
    const auto found = find_any(pointer(at));
    if (!found || found->where != residence::host) return CUDA_ERROR_INVALID_VALUE;
    if (!is_current(stream)) return CUDA_ERROR_INVALID_HANDLE;
    auto* const word = static_cast<std::uint64_t*>(pointer(at));
    next_of(stream).begin_kernel([=] { return wait_for_value(word, value); });
    return CUDA_SUCCESS;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, mode_of_thread);
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return traced("cuStreamIsCapturing", needs::context, text_of(stream), [&](std::string&) {
    *status = work_of(stream)->captures() ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                          : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return traced("cuStreamBeginCapture_v2", needs::context, text_of(stream), [&](std::string&) {
    // The default stream cannot be captured; other modes forbid less.
    if (stream == nullptr || mode != CU_STREAM_CAPTURE_MODE_GLOBAL)
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (!stream->work->capture()) return CUDA_ERROR_ILLEGAL_STATE;
    ++global_captures;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return traced("cuStreamEndCapture", needs::context, text_of(stream), [&](std::string& detail) {
    auto pieces = stream->work->end_capture();
    if (!pieces) return CUDA_ERROR_ILLEGAL_STATE;
    --global_captures;
    *graph = kept<CUgraph_st>::make(new CUgraph_st{std::move(*pieces)});
    detail = " -> " + text_of(*graph);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* made, CUgraph graph, unsigned long long) {
  return traced("cuGraphInstantiateWithFlags", needs::context, text_of(graph), [&](std::string&) {
    *made = kept<CUgraphExec_st>::make(new CUgraphExec_st{graph->pieces});
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  return traced("cuGraphLaunch", needs::context, text_of(stream), [&](std::string&) {
    if (!is_current(stream)) return CUDA_ERROR_INVALID_HANDLE;
    next_of(stream).play(graph->pieces);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec graph) {
  kept<CUgraphExec_st>::destroy(graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  kept<CUgraph_st>::destroy(graph);
  return CUDA_SUCCESS;
}

}  // extern "C"
