#include "kinds/level_zero/atomics.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "kinds/atomic_steps.hpp"
#include "kinds/level_zero/kernels.hpp"

namespace oriel::kinds {
namespace {

constexpr unsigned subgroup = 32;  // the widest that the devices have

// Memory that is not the driver's is the host's, and needs no command.
bool move(device_runtime& runtime, void* to, const void* from, std::size_t bytes,
          const void* outside) noexcept {
  if (runtime.allocation_id(outside) != 0) return runtime.copy(to, from, bytes) == errc::success;
  std::memcpy(to, from, bytes);
  return true;
}

}  // namespace

std::string level_zero_atomics::lacks() const {
  if (level_zero_kernels().empty()) return "built without clang and llvm-spirv";
  if (library_.import_host == nullptr) return "the driver cannot pin memory of the host";
  ze_device_module_properties_t can{};
  can.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
  if (library_.failed("zeDeviceGetModuleProperties",
                      library_.module_properties(device_.handle(), &can)))
    return library_.last_failure();
  if ((can.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS) == 0)
    return "the device has no atomics of 64 bits";
  if ((can.flags & ZE_DEVICE_MODULE_FLAG_FP64) == 0)
    return "the device has no floating-point numbers of 64 bits";
  return {};
}

// Mapped, and left to the end of the process: the driver may be gone by then, when the memory would
// have to be unpinned.
bool level_zero_atomics::make_bounce() noexcept {
  if (bounce_ != nullptr) return true;
  if (library_.import_host == nullptr) return false;
  void* const memory = mmap(nullptr, sizeof(bounce_buffer), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  if (library_.failed("zexDriverImportExternalPointer",
                      library_.import_host(driver_, memory, sizeof(bounce_buffer)))) {
    munmap(memory, sizeof(bounce_buffer));
    return false;
  }
  bounce_ = static_cast<bounce_buffer*>(memory);
  return true;
}

bool level_zero_atomics::make_kernel() noexcept {
  if (kernel_ != nullptr) return true;
  const auto code = level_zero_kernels();
  ze_module_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  description.format = ZE_MODULE_FORMAT_IL_SPIRV;
  description.inputSize = code.size();
  description.pInputModule = reinterpret_cast<const std::uint8_t*>(code.data());
  ze_module_handle_t made = nullptr;
  if (library_.failed("zeModuleCreate", library_.create_module(context_, device_.handle(),
                                                               &description, &made, nullptr)))
    return false;
  ze_kernel_desc_t entry{};
  entry.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  entry.pKernelName = atomic_kernel;
  if (!library_.failed("zeKernelCreate", library_.create_kernel(made, &entry, &kernel_)))
    return true;
  kernel_ = nullptr;
  library_.failed("zeModuleDestroy", library_.destroy_module(made));
  return false;
}

bool level_zero_atomics::prepare() noexcept {
  return make_bounce() && make_kernel();
}

bool level_zero_atomics::launch(const atomic_task& task) noexcept {
  std::uint32_t number = 0;
  const auto argument = [&](const auto& value) {
    return !library_.failed("zeKernelSetArgumentValue",
                            library_.set_argument(kernel_, number++, sizeof value, &value));
  };
  const kernel_shape shape = kernel_shape::of(task.n, subgroup);
  return set_arguments(task, argument) &&
         !library_.failed("zeKernelSetGroupSize",
                          library_.set_group_size(kernel_, shape.threads, 1, 1)) &&
         device_.launch(kernel_, shape.blocks) == errc::success;
}

bool level_zero_atomics::apply_some(device_runtime& runtime, const atomic_task& task) noexcept {
  atomic_task sent = task;
  const std::size_t given = operand_bytes(task), wanted = task.n * task.width;
  sent.operands = given == 0 ? nullptr : bounce_->operands.data();
  if (task.results != nullptr) sent.results = bounce_->results.data();
  return (given == 0 ||
          move(runtime, bounce_->operands.data(), task.operands, given, task.operands)) &&
         launch(sent) &&
         (task.results == nullptr ||
          move(runtime, task.results, bounce_->results.data(), wanted, task.results));
}

errc level_zero_atomics::apply(device_runtime& runtime, const atomic_task& wanted) noexcept {
  if (const errc why = refusal(wanted); why != errc::success) return why;
  if (wanted.n == 0) return errc::success;
  atomic_task task = completed(wanted);
  if (reinterpret_cast<std::uintptr_t>(task.location) % task.width != 0) return errc::arg;
  if (level_zero_kernels().empty()) return errc::unsupported_kind;
  const std::lock_guard hold(busy_);
  if (!prepare()) return errc::system;
  for (std::uint64_t left = task.n; left != 0;) {
    task.n = std::min<std::uint64_t>(left, bounce_bytes / task.width);
    if (!apply_some(runtime, task)) return errc::system;
    left -= task.n;
    advance(task, task.n);
  }
  return errc::success;
}

}  // namespace oriel::kinds
