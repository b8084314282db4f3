#include "tests/drivers/kernel.hpp"

#include <cstdint>
#include <string>
#include <type_traits>

#include "kinds/atomic_kernel_body.cuh"
#include "tests/drivers/device_heap.hpp"
#include "tests/drivers/ledger.hpp"
#include "tests/drivers/room.hpp"

namespace oriel::test_driver {
namespace {

using kinds::atomic_action;
using kinds::atomic_task;

std::size_t width_of(primitive type) {
  return with_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

bool known(const atomic_task& task) {
  const bool word = task.width == 1 || task.width == 2 || task.width == 4 || task.width == 8;
  if (task.action == atomic_action::compare_swap) return word && task.n == 1;
  return kinds::kernels_apply(task.op, task.type) && width_of(task.type) == task.width;
}

}  // namespace

bool run_atomic_kernel(int device, const atomic_task& task) {
  const auto resident = room::take();
  if (!kinds::may_begin(task.gate)) return true;
  if (!known(task)) {
    fault("a kernel was given a task that none does",
          "operation " + std::to_string(static_cast<int>(task.op)) + ", type " +
              std::to_string(static_cast<int>(task.type)) + ", width " +
              std::to_string(task.width) + ", elements " + std::to_string(task.n));
    return false;
  }
  auto& heap = device_heap::instance();
  const bool swap = task.action == atomic_action::compare_swap;
  const std::uint64_t bytes = task.n * task.width;
  // Devices load and store whole words only.
  for (const void* run : {static_cast<const void*>(task.location), task.operands,
                          static_cast<const void*>(task.results)})
    if (reinterpret_cast<std::uintptr_t>(run) % task.width != 0) {
      fault("a kernel accesses misaligned memory", text_of(run));
      return false;
    }
  atomic_task seen = task;
  seen.gate = nullptr;
  seen.location = heap.update_by_kernel(device, task.location, bytes);
  if (seen.location == nullptr) return false;
  if (swap || task.op != atomic_op::no_op) {
    seen.operands = heap.reach_by_kernel(task.operands, swap ? 2 * bytes : bytes);
    if (seen.operands == nullptr) return false;
  }
  if (task.results != nullptr) {
    seen.results = heap.reach_by_kernel(task.results, bytes);
    if (seen.results == nullptr) return false;
  }
  kinds::apply_share(seen, 0, 1);
  return true;
}

}  // namespace oriel::test_driver
