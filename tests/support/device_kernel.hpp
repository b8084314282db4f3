// Device code that the host's compiler has compiled, run as a kernel of a test driver's devices.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace oriel::testing {

// `body` as a kernel of the process's devices, of one block. The driver has been loaded.
template <class Body>
void as_kernel(Body body) {
  using runner = void (*)(void (*)(void*), void*);
  static const auto run = [] {
    for (const char* const driver : {"libcuda.so.1", "libamdhip64.so.5"})
      if (void* const loaded = dlopen(driver, RTLD_NOW | RTLD_NOLOAD); loaded != nullptr)
        return reinterpret_cast<runner>(dlsym(loaded, "oriel_test_run_kernel"));
    return runner{};
  }();
  ASSERT_NE(run, nullptr);
  run([](void* b) { (*static_cast<Body*>(b))(); }, &body);
}

}  // namespace oriel::testing
