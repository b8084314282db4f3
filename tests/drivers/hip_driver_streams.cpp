// The HIP test driver's streams beyond copies and kernels: functions of the host, waits for values
// in memory, and graphs that are captured from streams and launched again. A captured stream is one
// stream: those that join it by events are not followed.
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "tests/drivers/hip_driver.hpp"
#include "tests/drivers/host_call.hpp"
#include "tests/drivers/kept.hpp"

struct ihipGraph {
  oriel::test_driver::work_queue::recording pieces;
};
struct hipGraphExec {
  oriel::test_driver::work_queue::recording pieces;
};

namespace oriel::test_driver {
namespace {

std::mutex mutex;
std::set<const void*>& signals() {
  static auto& all = *new std::set<const void*>;
  return all;
}

bool is_signal(const void* p) {
  const std::lock_guard lock(mutex);
  return signals().contains(p);
}

}  // namespace

void note_signal(const void* p) {
  const std::lock_guard lock(mutex);
  signals().insert(p);
}
bool forget_signal(const void* p) {
  const std::lock_guard lock(mutex);
  return signals().erase(p) != 0;
}

}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

// HIP 5.2's header does not have it.
[[gnu::visibility("default")]] hipError_t hipLaunchHostFunc(hipStream_t stream,
                                                            hipHostFn_t function, void* argument) {
  return traced("hipLaunchHostFunc", text_of(stream), [&](std::string&) {
    if (function == nullptr) return hipErrorInvalidValue;
    stream_of(stream).work.begin_kernel([=] { return call_host(function, argument); });
    return hipSuccess;
  });
}

// As AMD's runtime, which waits for memory of signals alone.
hipError_t hipStreamWaitValue64(hipStream_t stream, void* at, std::uint64_t value, unsigned flags,
                                std::uint64_t mask) {
  const std::string arguments = text_of(stream) + ", " + text_of(at) + ", " + std::to_string(value);
  return traced("hipStreamWaitValue64", arguments, [&](std::string&) {
    if (refuses("wait_value")) return hipErrorNotSupported;
    if (flags != hipStreamWaitValueGte || ~mask != 0 || !is_signal(at)) return hipErrorInvalidValue;
    auto* const word = static_cast<std::uint64_t*>(at);
    stream_of(stream).work.begin_kernel([=] { return wait_for_value(word, value); });
    return hipSuccess;
  });
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return traced("hipStreamIsCapturing", text_of(stream), [&](std::string&) {
    *status = stream_of(stream).work.captures() ? hipStreamCaptureStatusActive
                                                : hipStreamCaptureStatusNone;
    return hipSuccess;
  });
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  return traced("hipStreamBeginCapture", text_of(stream), [&](std::string&) {
    if (stream == nullptr) return hipErrorStreamCaptureUnsupported;
    return stream->work.capture() ? hipSuccess : hipErrorIllegalState;
  });
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return traced("hipStreamEndCapture", text_of(stream), [&](std::string& detail) {
    auto pieces = stream->work.end_capture();
    if (!pieces) return hipErrorIllegalState;
    *graph = kept<ihipGraph>::make(new ihipGraph{std::move(*pieces)});
    detail = " -> " + text_of(*graph);
    return hipSuccess;
  });
}

hipError_t hipGraphInstantiate(hipGraphExec_t* made, hipGraph_t graph, hipGraphNode_t*, char*,
                               std::size_t) {
  return traced("hipGraphInstantiate", text_of(graph), [&](std::string&) {
    *made = kept<hipGraphExec>::make(new hipGraphExec{graph->pieces});
    return hipSuccess;
  });
}

hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream) {
  return traced("hipGraphLaunch", text_of(stream), [&](std::string&) {
    stream_of(stream).work.play(graph->pieces);
    return hipSuccess;
  });
}

hipError_t hipGraphExecDestroy(hipGraphExec_t graph) {
  kept<hipGraphExec>::destroy(graph);
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  kept<ihipGraph>::destroy(graph);
  return hipSuccess;
}

}  // extern "C"
