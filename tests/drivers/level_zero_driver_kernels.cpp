// The Level Zero test driver's modules and kernels: it has the atomics' kernel itself
// (tests/drivers/kernel.hpp), looks at the SPIR-V that it is given, and takes the arguments of
// kinds/level_zero/atomic_kernels.cl. The SPIR-V itself is run by
// tests/kinds/spirv_kernel_test.cpp.
#include <array>
#include <cstring>
#include <optional>

#include "tests/drivers/kept.hpp"
#include "tests/drivers/kernel.hpp"
#include "tests/drivers/level_zero_driver.hpp"

struct _ze_module_handle_t {
  int device = 0;
};
struct _ze_kernel_handle_t {
  int device = 0;
  unsigned group = 0;
  std::array<std::optional<std::uint64_t>, 8> arguments;
};

namespace oriel::test_driver {
namespace {

constexpr std::array<std::size_t, 8> argument_bytes{4, 4, 4, 4, 8, 8, 8, 8};

bool is_spirv(const ze_module_desc_t& code) {
  constexpr std::uint32_t magic = 0x07230203;
  std::uint32_t first = 0;
  if (code.format != ZE_MODULE_FORMAT_IL_SPIRV || code.inputSize < 20 || code.inputSize % 4 != 0)
    return false;
  std::memcpy(&first, code.pInputModule, sizeof first);
  const std::string_view bytes(reinterpret_cast<const char*>(code.pInputModule), code.inputSize);
  return first == magic && bytes.find(kinds::atomic_kernel) != std::string_view::npos;
}

kinds::atomic_task task_of(const _ze_kernel_handle_t& kernel) {
  const auto pointer = [&](std::size_t i) {
    return reinterpret_cast<void*>(*kernel.arguments[i]);  // NOLINT(performance-no-int-to-ptr)
  };
  kinds::atomic_task task;
  task.action = static_cast<kinds::atomic_action>(*kernel.arguments[0]);
  task.op = static_cast<atomic_op>(*kernel.arguments[1]);
  task.type = static_cast<primitive>(*kernel.arguments[2]);
  task.width = static_cast<std::uint8_t>(*kernel.arguments[3]);
  task.n = *kernel.arguments[4];
  task.location = pointer(5);
  task.operands = pointer(6);
  task.results = pointer(7);
  return task;
}

}  // namespace
}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

ze_result_t zeDeviceGetModuleProperties(ze_device_handle_t, ze_device_module_properties_t* to) {
  return traced("zeDeviceGetModuleProperties", "", [&](std::string&) {
    to->flags = ZE_DEVICE_MODULE_FLAG_FP64;
    if (!refuses("atomics")) to->flags |= ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeModuleCreate(ze_context_handle_t, ze_device_handle_t device,
                           const ze_module_desc_t* code, ze_module_handle_t* module,
                           ze_module_build_log_handle_t*) {
  return traced("zeModuleCreate", std::to_string(code->inputSize), [&](std::string&) {
    if (refuses("atomics") || !is_spirv(*code)) return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    *module = kept<_ze_module_handle_t>::make(new _ze_module_handle_t{ordinal_of(device)});
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeModuleDestroy(ze_module_handle_t module) {
  return traced("zeModuleDestroy", "", [&](std::string&) {
    kept<_ze_module_handle_t>::destroy(module);
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeKernelCreate(ze_module_handle_t module, const ze_kernel_desc_t* description,
                           ze_kernel_handle_t* kernel) {
  return traced("zeKernelCreate", description->pKernelName, [&](std::string&) {
    if (std::string_view(description->pKernelName) != oriel::kinds::atomic_kernel)
      return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    *kernel = kept<_ze_kernel_handle_t>::make(new _ze_kernel_handle_t{module->device, 0, {}});
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeKernelSetArgumentValue(ze_kernel_handle_t kernel, std::uint32_t number,
                                     std::size_t bytes, const void* value) {
  return traced("zeKernelSetArgumentValue", std::to_string(number), [&](std::string&) {
    if (number >= argument_bytes.size()) return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
    if (bytes != argument_bytes[number]) return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
    std::uint64_t bits = 0;
    if (value != nullptr) std::memcpy(&bits, value, bytes);
    kernel->arguments[number] = bits;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeKernelSetGroupSize(ze_kernel_handle_t kernel, std::uint32_t x, std::uint32_t y,
                                 std::uint32_t z) {
  return traced("zeKernelSetGroupSize", std::to_string(x), [&](std::string&) {
    if (x == 0 || x > 1024 || y != 1 || z != 1) return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
    kernel->group = x;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandListAppendLaunchKernel(ze_command_list_handle_t list,
                                            ze_kernel_handle_t kernel, const ze_group_count_t* grid,
                                            ze_event_handle_t, std::uint32_t, ze_event_handle_t*) {
  const std::string arguments =
      "grid " + std::to_string(grid->groupCountX) + ", block " + std::to_string(kernel->group);
  return traced("zeCommandListAppendLaunchKernel", arguments, [&](std::string&) {
    if (kernel->group == 0 || grid->groupCountX == 0 || kernel->device != list->device)
      return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    for (const auto& argument : kernel->arguments)
      if (!argument) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return append_to(list, [on = kernel->device, task = task_of(*kernel)] {
      return run_atomic_kernel(on, task);
    });
  });
}

}  // extern "C"
