// The CUDA test driver's modules and kernels: PTX of fat binaries, run on processors by
// tests/drivers/ptx.
#include <cstdio>
#include <memory>
#include <string>

#include "tests/drivers/cuda_driver.hpp"
#include "tests/drivers/ptx/fat_binary.hpp"
#include "tests/drivers/ptx/grid.hpp"
#include "tests/drivers/ptx/mutant.hpp"

struct CUmod_st {
  std::unique_ptr<oriel::test_driver::ptx::module> code;
  void* globals = nullptr;  // of the device's heap; null where it has no variables

  CUmod_st() = default;
  CUmod_st(const CUmod_st&) = delete;
  CUmod_st& operator=(const CUmod_st&) = delete;
  ~CUmod_st() {
    if (globals != nullptr) oriel::test_driver::device_heap::instance().free(globals);
  }
};
struct CUfunc_st {
  const CUmod_st* in = nullptr;
  const oriel::test_driver::ptx::function* kernel = nullptr;
};

namespace oriel::test_driver {
namespace {

ptx::host_part host_of_kernels;

// What a program prints of a kernel that failed is the driver's code alone; this says the rest.
void report(const std::string& what) {
  fault("a kernel failed", what);
  std::fprintf(stderr, "test driver: %s\n", what.c_str());
}

bool place_variables(CUmod_st& m) {
  if (m.code->globals.empty()) return true;
  auto& heap = device_heap::instance();
  const std::size_t bytes = m.code->globals.size();
  if (heap.allocate(residence::device, current_context()->device, bytes, &m.globals) !=
      heap_status::ok)
    return false;
  heap.leave_to_the_end(m.globals);
  ptx::place_globals(*m.code, static_cast<std::byte*>(m.globals),
                     heap.reach(m.globals, bytes, "first values of variables"));
  return true;
}

CUresult load(CUmodule* loaded, const void* image) {
  if (image == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  std::string why;
  const auto text = ptx::ptx_of(image, why);
  if (!text) {
    report(why);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  try {
    auto made = std::make_unique<CUmod_st>();
    made->code = ptx::parse(*text);
    ptx::weaken_by_environment(*made->code);
    if (!place_variables(*made)) return CUDA_ERROR_OUT_OF_MEMORY;
    *loaded = kept<CUmod_st>::make(made.release());
    return CUDA_SUCCESS;
  } catch (const ptx::error& e) {
    report(e.what());
    return CUDA_ERROR_INVALID_PTX;
  }
}

bool run_reporting(ptx::grid& g) {
  try {
    ptx::run(g);
    return true;
  } catch (const ptx::kernel_failure& e) {
    report(e.what());
    return false;
  }
}

}  // namespace
}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

// Kernels that are launched from now on share the schedule with `turn` (ptx/machine.hpp); null:
// with no host. What tests look up in the library.
[[gnu::visibility("default")]] void oriel_test_host_turns(bool (*turn)(void*), void* argument) {
  host_of_kernels = {turn, argument};
}

CUresult cuModuleLoadData(CUmodule* loaded, const void* image) {
  return traced("cuModuleLoadData", needs::context, "", [&](std::string&) {
    return captures_forbid_allocations() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                                         : load(loaded, image);
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return traced("cuModuleUnload", needs::cuda, "", [&](std::string&) {
    kept<CUmod_st>::destroy(module);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return traced("cuModuleGetFunction", needs::context, name, [&](std::string&) {
    const auto found = module->code->functions.find(std::string_view(name));
    if (found == module->code->functions.end() || !found->second->entry)
      return CUDA_ERROR_NOT_FOUND;
    *function = kept<CUfunc_st>::make(new CUfunc_st{module, found->second.get()});
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* at, std::size_t* bytes, CUmodule module, const char* name) {
  return traced("cuModuleGetGlobal_v2", needs::context, name, [&](std::string&) {
    const auto found = module->code->variables.find(std::string_view(name));
    if (found == module->code->variables.end()) return CUDA_ERROR_NOT_FOUND;
    if (at != nullptr) *at = module->code->globals_at + found->second.offset;
    if (bytes != nullptr) *bytes = found->second.bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** parameters, void**) {
  const std::string arguments =
      "grid " + std::to_string(grid_x) + ", block " + std::to_string(block_x);
  return traced("cuLaunchKernel", needs::context, arguments, [&](std::string&) {
    auto g = std::make_shared<ptx::grid>();
    g->code = function->in->code.get();
    g->kernel = function->kernel;
    g->blocks = {grid_x, grid_y, grid_z};
    g->threads = {block_x, block_y, block_z};
    g->dynamic_shared = shared;
    if (g->blocks.size() == 0 || g->threads.size() == 0 || g->threads.size() > 1024)
      return CUDA_ERROR_INVALID_VALUE;
    if (stream != nullptr && stream->context != current_context()) return CUDA_ERROR_INVALID_HANDLE;
    for (std::size_t i = 0; i < g->kernel->parameters.size(); ++i) {
      const ptx::variable& p = g->kernel->parameters[i];
      g->parameters.resize(p.offset + p.bytes);
      std::memcpy(g->parameters.data() + p.offset, parameters[i], p.bytes);
    }
    g->memory.belong_to(current_context()->device, current_context()->peers);
    g->turns = ptx::schedule::of_environment();
    g->host = host_of_kernels;
    auto& counter = ptx::touch_counter::instance();
    if (counter.counts()) g->counter = &counter;
    next_of(stream).begin_kernel([g] { return run_reporting(*g); });
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
