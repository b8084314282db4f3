#include "win/slots/atomic_access.hpp"

#include <string>

namespace oriel::win {

using detail::window_core;

namespace {

errc no_kernels(window_core& core) noexcept {
  const std::string why =
      core.devices.memory == nullptr
          ? ""
          : core.devices.memory->runtime().lacks_atomics(core.devices.memory->device());
  return core.fail(errc::op, "some rank's device memory has no atomics: " +
                                 (why.empty() ? "its owner's build or device lacks them" : why));
}

errc refuse_on_device(window_core& core, atomic_op op, primitive type) noexcept {
  if (!core.agreed.plan.kernels) return no_kernels(core);
  return core.fail(errc::op, "kernels do no " + std::string(name(op)) + " on " +
                                 std::string(name(type)) + " elements in device memory");
}

}  // namespace

void choose_kernels(window_core& core) noexcept {
  for (const primitive p : all_primitives) {
    const auto at = static_cast<std::size_t>(p);
    core.operations.rows[at] = &atomics::kernels_of(p, core.operations.arithmetic);
    core.operations.swaps[at] = atomics::compare_swap_kernel(p);
  }
}

errc refuse_op(window_core& core, atomic_op op, primitive type) noexcept {
  if (!core.agreed.ops.has(op))
    return core.fail(errc::op, std::string(name(op)) + " is not in the window's op set (" +
                                   to_string(core.agreed.ops) + ")");
  return core.fail(errc::op, std::string(name(op)) + " is not defined on " +
                                 std::string(name(type)) + " elements");
}

errc accumulate_at(window_core& core, const target& at, std::ptrdiff_t offset, atomic_op op,
                   primitive type, const void* operands, void* results, std::size_t n,
                   tracker* also) noexcept {
  const auto kernel = kernel_for(core, op, type, at.owner, n * size_of(type));
  if (kernel == nullptr) return refuse_op(core, op, type);
  if (at.in_device_memory && !(core.agreed.plan.kernels && kinds::kernels_apply(op, type)))
    return refuse_on_device(core, op, type);
  return at.by->accumulate(core, at, offset, {op, type, operands, results, n, kernel}, also);
}

errc compare_swap_at(window_core& core, const target& at, std::size_t bytes, const void* expected,
                     const void* desired, void* result) noexcept {
  const auto kernel = atomics::compare_swap_kernel(bytes);
  if (kernel == nullptr)
    return core.fail(errc::type, "compare_swap takes elements of 1 to 16 bytes, not of " +
                                     std::to_string(bytes));
  if (at.in_device_memory && !core.agreed.plan.kernels) return no_kernels(core);
  if (at.in_device_memory && bytes > 8)
    return core.fail(errc::type, "compare_swap in device memory takes elements of at most 8 bytes");
  return at.by->compare_swap(core, at, {expected, desired, result, bytes, kernel});
}

}  // namespace oriel::win
