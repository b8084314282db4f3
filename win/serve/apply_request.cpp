#include "win/serve/apply_request.hpp"

#include <cstring>

#include "win/serve/mapped_atomics.hpp"

namespace oriel::win {

using sync::am_kind;

namespace {

// This rank's memory is a device's: its runtime carries requests out.
errc apply_on_device(detail::window_core& core, const owner_request& asked) noexcept {
  device_window& memory = *core.devices.memory;
  kinds::device_runtime& runtime = memory.runtime();
  // Less than the origin waits, so that it learns what was not done.
  kinds::time_limit::length at_most = core.group->watch().patience();
  if (at_most) *at_most = *at_most / 4 * 3;
  kinds::atomic_task task;
  task.location = asked.location;
  task.operands = asked.operands;
  task.op = asked.op;
  task.type = asked.type;
  task.n = 1;
  switch (asked.kind) {
    case am_kind::put:
      return runtime.copy(asked.location, asked.operands, asked.bytes);
    case am_kind::get:
      return runtime.copy(asked.results, asked.location, asked.bytes);
    case am_kind::accumulate:
    case am_kind::get_accumulate:
      if (!kinds::kernels_apply(asked.op, asked.type)) return errc::op;
      task.width = static_cast<std::uint8_t>(size_of(asked.type));
      task.n = asked.bytes / task.width;
      if (asked.kind == am_kind::get_accumulate) task.results = asked.results;
      return memory.apply(task, at_most);
    case am_kind::compare_swap:
      if (asked.bytes > 8) return errc::type;
      task.action = kinds::atomic_action::compare_swap;
      task.width = static_cast<std::uint8_t>(asked.bytes);
      task.results = asked.results;
      return memory.apply(task, at_most);
    default:  // lists: apply_runs.hpp
      break;
  }
  return errc::arg;
}

bool writes(const owner_request& asked) noexcept {
  return asked.kind != am_kind::get &&
         !(asked.kind == am_kind::get_accumulate && asked.op == atomic_op::no_op);
}

}  // namespace

errc apply_request(detail::window_core& core, const owner_request& asked) noexcept {
  if (core.devices.memory != nullptr && core.devices.memory->holds_own())
    return apply_on_device(core, asked);
  if (core.memory.own_pages != nullptr && writes(asked) &&
      !core.memory.own_pages->contain(asked.location, asked.bytes))
    return errc::rma_range;
  const rank me{core.me()};
  switch (asked.kind) {
    case am_kind::put:
      std::memcpy(asked.location, asked.operands, asked.bytes);
      return errc::success;
    case am_kind::get:
      std::memcpy(asked.results, asked.location, asked.bytes);
      return errc::success;
    case am_kind::accumulate:
    case am_kind::get_accumulate: {
      const auto kernel =
          atomics::accumulate_kernel(asked.op, asked.type, atomics::kernel_mode::atomic);
      if (kernel == nullptr) return errc::op;
      return accumulate_mapped_run(core,
                                   {me, asked.location, asked.op, asked.type, asked.operands,
                                    asked.kind == am_kind::get_accumulate ? asked.results : nullptr,
                                    asked.bytes / size_of(asked.type), kernel});
    }
    case am_kind::compare_swap: {
      const auto kernel = atomics::compare_swap_kernel(asked.bytes);
      if (kernel == nullptr) return errc::type;
      return pass_gate(core, me, [&]() noexcept {
        return kernel(asked.location, asked.operands, asked.operands + asked.bytes, asked.results,
                      stripes_of(core), key_of(core, asked.location));
      });
    }
    default:  // lists: apply_runs.hpp
      break;
  }
  return errc::arg;
}

}  // namespace oriel::win
