// A stream of the tested vendor's driver, as a program has it: made, captured, launched and waited
// for by the driver's own calls.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string_view>

#include "tests/win/conformance.hpp"
#include "win/window_core.hpp"

namespace oriel::testing {

class program_stream {
 public:
  explicit program_stream(int device) : device_(device) {
    if (is_cuda())
      in_context([&] { return find<int(void**, unsigned)>("cuStreamCreate")(&stream_, 1); });
    else
      in_context(
          [&] { return find<int(void**, unsigned)>("hipStreamCreateWithFlags")(&stream_, 1); });
  }
  program_stream(const program_stream&) = delete;
  program_stream& operator=(const program_stream&) = delete;

  operator device_stream() const { return stream_; }  // NOLINT: as a vendor's handle
  // Returns whether all that it held has been done.
  [[nodiscard]] bool synchronize() const {
    const char* const name = is_cuda() ? "cuStreamSynchronize" : "hipStreamSynchronize";
    return in_context([&] { return find<int(void*)>(name)(stream_); });
  }

  // The stream calls it in its turn.
  void call(void (*function)(void*), void* argument) const {
    const char* const name = is_cuda() ? "cuLaunchHostFunc" : "hipLaunchHostFunc";
    EXPECT_TRUE(in_context([&] {
      return find<int(void*, void (*)(void*), void*)>(name)(stream_, function, argument);
    }));
  }

  void begin_capture() const {
    const char* const name = is_cuda() ? "cuStreamBeginCapture_v2" : "hipStreamBeginCapture";
    EXPECT_TRUE(in_context([&] { return find<int(void*, int)>(name)(stream_, 0); }));
  }
  // Returns the graph, to be launched.
  [[nodiscard]] void* end_capture() const {
    void* graph = nullptr;
    void* launchable = nullptr;
    const char* const name = is_cuda() ? "cuStreamEndCapture" : "hipStreamEndCapture";
    EXPECT_TRUE(in_context([&] { return find<int(void*, void**)>(name)(stream_, &graph); }));
    EXPECT_TRUE(in_context([&] {
      return is_cuda() ? find<int(void**, void*, unsigned long long)>(
                             "cuGraphInstantiateWithFlags")(&launchable, graph, 0)
                       : find<int(void**, void*, void*, char*, std::size_t)>("hipGraphInstantiate")(
                             &launchable, graph, nullptr, nullptr, 0);
    }));
    find<int(void*)>(is_cuda() ? "cuGraphDestroy" : "hipGraphDestroy")(graph);
    return launchable;
  }
  void launch(void* graph) const {
    const char* const name = is_cuda() ? "cuGraphLaunch" : "hipGraphLaunch";
    EXPECT_TRUE(in_context([&] { return find<int(void*, void*)>(name)(graph, stream_); }));
  }
  static void destroy(void* graph) {
    find<int(void*)>(is_cuda() ? "cuGraphExecDestroy" : "hipGraphExecDestroy")(graph);
  }

 private:
  static bool is_cuda() { return std::string_view(tested_kind()) == "cuda"; }
  template <class Function>
  static Function* find(const char* name) {
    static void* const driver =
        dlopen(is_cuda() ? "libcuda.so.1" : "libamdhip64.so.5", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<Function*>(dlsym(driver, name));
  }
  // `work` returns a code, of which 0 is success.
  template <class Work>
  bool in_context(Work work) const {
    if (!is_cuda()) {
      find<int(int)>("hipSetDevice")(device_);
      return work() == 0;
    }
    void* context = nullptr;
    find<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device_);
    find<int(void*)>("cuCtxPushCurrent_v2")(context);
    const bool done = work() == 0;
    find<int(void**)>("cuCtxPopCurrent_v2")(&context);
    return done;
  }

  int device_;
  void* stream_ = nullptr;
};

// The device whose streams the operations of a window are for.
template <class T, assertion_set A>
int device_of(window<T, A>& w) {
  const auto& devices = w.any().view().core->devices;
  return devices.memory != nullptr ? devices.memory->device()
                                   : devices.pinned->runtime().current_device().value_or(0);
}

// Memory of a kind, as the host has and gives its elements.
template <class T>
class program_buffer {
 public:
  program_buffer(std::size_t n, const std::string& kind)
      : bytes_(job().alloc_mem(n * sizeof(T), kind)), n_(n) {}
  ~program_buffer() { job().free_mem(bytes_).or_throw(); }
  program_buffer(const program_buffer&) = delete;
  program_buffer& operator=(const program_buffer&) = delete;

  [[nodiscard]] std::span<T> span() const { return {reinterpret_cast<T*>(bytes_.data()), n_}; }
  void fill(T value) {
    const std::vector<T> all(n_, value);
    job().copy(bytes_.data(), all.data(), n_ * sizeof(T)).or_throw();
  }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> all(n_);
    job().copy(all.data(), bytes_.data(), n_ * sizeof(T)).or_throw();
    return all;
  }

 private:
  std::span<std::byte> bytes_;
  std::size_t n_;
};

}  // namespace oriel::testing
