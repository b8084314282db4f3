// The kind `cuda`: atomics, by one kernel that takes a task (kinds/atomic_task.hpp).
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "kinds/cuda/kernels.hpp"
#include "kinds/cuda/runtime.hpp"

namespace oriel::kinds {
namespace {

constexpr unsigned warp = 32;
constexpr unsigned largest_block = 256;
constexpr std::uint64_t largest_grid = 1024;  // the kernel strides over what is more

// One warp for a single element, which is what most tasks have.
unsigned block_for(std::uint64_t n) {
  return static_cast<unsigned>(
      std::min<std::uint64_t>((n + warp - 1) / warp * warp, largest_block));
}

bool swaps(const atomic_task& task) {
  return task.action == atomic_action::compare_swap;
}
std::size_t operand_bytes(const atomic_task& task) {
  if (swaps(task)) return 2 * std::size_t{task.width};
  return task.op == atomic_op::no_op ? 0 : task.n * task.width;
}

errc refusal(const atomic_task& task) {
  if (swaps(task)) {
    const bool word = task.width == 1 || task.width == 2 || task.width == 4 || task.width == 8;
    return word ? errc::success : errc::type;
  }
  if (task.type < primitive::byte || task.type > primitive::float64) return errc::type;
  return kernels_apply(task.op, task.type) ? errc::success : errc::op;
}

}  // namespace

bool cuda_runtime::prepare_atomics(int device) noexcept {
  atomic_state& a = atomics_[static_cast<std::size_t>(device)];
  if (a.kernel != nullptr) return true;
  if (a.bounce == nullptr) {
    // Mapped, and left to the end of the process: the driver may be gone by then and could not be
    // told that the memory is to be unpinned.
    void* const memory = mmap(nullptr, sizeof(bounce_buffer), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    const CUresult pinned = library_.host_register(
        memory, sizeof(bounce_buffer), CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
    if (!cuda_device::succeeded("cuMemHostRegister", pinned)) {
      munmap(memory, sizeof(bounce_buffer));
      return false;
    }
    a.bounce = static_cast<bounce_buffer*>(memory);
  }
  CUmodule module = nullptr;
  return cuda_device::succeeded("cuModuleLoadData",
                                library_.module_load_data(&module, cuda_kernels().data())) &&
         cuda_device::succeeded("cuModuleGetFunction",
                                library_.module_get_function(&a.kernel, module, atomic_kernel));
}

// Memory that this process has on another device needs access enabled between the two; what it has
// opened of another process had that enabled as it was opened.
bool cuda_runtime::reach_peer(int device, const void* location) noexcept {
  if (count_ == 1) return true;
  const auto found = classify(location);
  if (!found || found->where != residence::device || found->device == device) return true;
  atomic_state& a = atomics_[static_cast<std::size_t>(device)];
  if ((a.peers >> found->device & 1u) != 0) return true;
  cuda_device& peer = devices_[static_cast<std::size_t>(found->device)];
  unsigned flags = 0;
  int active = 0;
  // No context there: then the memory is not this process's own.
  if (library_.primary_context_state(peer.handle(), &flags, &active) == CUDA_SUCCESS && active == 0)
    return true;
  if (!peer.ready()) return false;
  const CUresult r = library_.enable_peer_access(peer.context(), 0);
  if (r != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED &&
      !cuda_device::succeeded("cuCtxEnablePeerAccess", r))
    return false;
  a.peers |= std::uint64_t{1} << found->device;
  return true;
}

// Kernels load elements whole, so misaligned ones go by the bounce buffer too.
cuda_runtime::way cuda_runtime::way_to(int device, const void* pointer,
                                       std::size_t width) const noexcept {
  const auto found = classify(pointer);
  if (!found) return way::through_host;
  const bool aligned = reinterpret_cast<std::uintptr_t>(pointer) % width == 0;
  const bool reachable = found->where != residence::device || found->device == device;
  return aligned && reachable ? way::direct : way::through_copy;
}

// As many elements as fit the bounce buffers, where those are needed. The context is the thread's
// and `busy` is held.
bool cuda_runtime::apply_some(int device, const atomic_task& task, way operands,
                              way results) noexcept {
  cuda_device& d = devices_[static_cast<std::size_t>(device)];
  const atomic_state& a = atomics_[static_cast<std::size_t>(device)];
  atomic_task sent = task;
  if (operands != way::direct) sent.operands = a.bounce->operands.data();
  if (results != way::direct) sent.results = a.bounce->results.data();
  const std::size_t result_bytes = task.n * task.width;
  if (operands == way::through_host)
    std::memcpy(a.bounce->operands.data(), task.operands, operand_bytes(task));
  if (operands == way::through_copy &&
      !d.begin_copy(a.bounce->operands.data(), task.operands, operand_bytes(task)))
    return false;
  const unsigned block = block_for(task.n);
  const auto grid =
      static_cast<unsigned>(std::min<std::uint64_t>((task.n + block - 1) / block, largest_grid));
  void* parameters[] = {&sent};
  if (!cuda_device::succeeded(
          "cuLaunchKernel", library_.launch_kernel(a.kernel, grid, 1, 1, block, 1, 1, 0, d.stream(),
                                                   parameters, nullptr)))
    return false;
  if (results == way::through_copy &&
      !d.begin_copy(task.results, a.bounce->results.data(), result_bytes))
    return false;
  if (!d.wait()) return false;
  if (results == way::through_host)
    std::memcpy(task.results, a.bounce->results.data(), result_bytes);
  return true;
}

errc cuda_runtime::apply(int device, const atomic_task& wanted) noexcept {
  if (const errc why = refusal(wanted); why != errc::success) return why;
  if (wanted.n == 0) return errc::success;
  atomic_task task = wanted;
  if (swaps(task))
    task.n = 1;
  else
    task.width = static_cast<std::uint8_t>(size_of(task.type));
  // A misaligned access would be the end of the context, and with it of all of its memory.
  if (reinterpret_cast<std::uintptr_t>(task.location) % task.width != 0) return errc::arg;
  if (!exists(device) || cuda_kernels().empty()) return errc::unsupported_kind;
  cuda_device& d = devices_[static_cast<std::size_t>(device)];
  if (!d.ready()) return errc::system;
  const cuda_context_guard current(library_, d.context());
  const std::lock_guard hold(atomics_[static_cast<std::size_t>(device)].busy);
  if (!prepare_atomics(device) || !reach_peer(device, task.location)) return errc::system;
  const way operands =
      operand_bytes(task) == 0 ? way::direct : way_to(device, task.operands, task.width);
  const way results =
      task.results == nullptr ? way::direct : way_to(device, task.results, task.width);
  const bool direct = operands == way::direct && results == way::direct;
  const std::uint64_t most = direct ? task.n : bounce_bytes / task.width;
  const auto advance = [&](std::uint64_t elements) {
    const std::size_t bytes = elements * task.width;
    task.location = static_cast<std::byte*>(task.location) + bytes;
    if (task.operands != nullptr)
      task.operands = static_cast<const std::byte*>(task.operands) + bytes;
    if (task.results != nullptr) task.results = static_cast<std::byte*>(task.results) + bytes;
  };
  for (std::uint64_t left = task.n; left != 0;) {
    task.n = std::min(left, most);
    if (!apply_some(device, task, operands, results)) return errc::system;
    left -= task.n;
    advance(task.n);
  }
  return errc::success;
}

}  // namespace oriel::kinds
