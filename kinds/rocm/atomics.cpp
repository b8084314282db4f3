#include "kinds/rocm/atomics.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "kinds/rocm/kernels.hpp"

namespace oriel::kinds {
namespace {

// Half of the block is for operands and half for results: pieces of 4096 doubles, whose launch
// costs more than their copying.
constexpr std::size_t half_block = 32 * 1024;
constexpr unsigned block_threads = 256;
constexpr std::uint64_t most_blocks = 1024;  // the kernel strides over what is beyond them

// Null stays null: no operands, or no results wanted.
std::byte* at(const void* memory, std::size_t offset) noexcept {
  auto* const first = static_cast<std::byte*>(const_cast<void*>(memory));
  return first == nullptr ? nullptr : first + offset;
}

}  // namespace

struct rocm_atomics::state {
  const rocm_library& library;
  std::mutex lock;
  bool tried = false;
  std::string why_none;
  hipFunction_t kernel = nullptr;
  std::byte* block = nullptr;

  void prepare();
  errc launch(const atomic_task& task, hipStream_t stream) const noexcept;
};

rocm_atomics::rocm_atomics(const rocm_library& library)
    : state_(new state{library, {}, false, {}, nullptr, nullptr}) {}

rocm_atomics::~rocm_atomics() = default;

void rocm_atomics::state::prepare() {
  if (tried) return;
  tried = true;
  if (rocm_kernels() == nullptr) {
    why_none = "built without hipcc";
    return;
  }
  hipModule_t module = nullptr;
  if (library.failed("hipModuleLoadData", library.load_module(&module, rocm_kernels())) ||
      library.failed("hipModuleGetFunction",
                     library.module_function(&kernel, module, atomic_kernel))) {
    why_none = library.last_failure();
    return;
  }
  // Mapped, and left to the end of the process: HIP may be gone by then and could not be told that
  // the memory is to be unpinned.
  void* const memory =
      mmap(nullptr, 2 * half_block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    why_none = "no memory for operands and results";
  } else if (library.failed("hipHostRegister", library.register_host(memory, 2 * half_block,
                                                                     hipHostRegisterPortable |
                                                                         hipHostRegisterMapped))) {
    why_none = library.last_failure();
    munmap(memory, 2 * half_block);
  } else {
    block = static_cast<std::byte*>(memory);
  }
}

std::string rocm_atomics::lacks() {
  const std::lock_guard hold{state_->lock};
  state_->prepare();
  return state_->why_none;
}

errc rocm_atomics::state::launch(const atomic_task& task, hipStream_t stream) const noexcept {
  atomic_task argument = task;
  void* arguments[] = {&argument};
  const std::uint64_t blocks = (task.n + block_threads - 1) / block_threads;
  if (library.failed("hipModuleLaunchKernel",
                     library.launch(kernel, static_cast<unsigned>(std::min(blocks, most_blocks)), 1,
                                    1, block_threads, 1, 1, 0, stream, arguments, nullptr)) ||
      library.failed("hipStreamSynchronize", library.synchronize_stream(stream)))
    return errc::system;
  return errc::success;
}

errc rocm_atomics::apply(const atomic_task& task, hipStream_t stream, way operands, way results,
                         device_runtime& copier) noexcept {
  const std::lock_guard hold{state_->lock};
  if (state_->kernel == nullptr || state_->block == nullptr) return errc::system;
  // A compare_swap has two operands and is one element.
  const std::size_t operand_bytes =
      task.width * (task.action == atomic_action::compare_swap ? 2u : 1u);
  const bool direct = operands == way::direct && results == way::direct;
  const std::uint64_t piece = direct ? task.n : half_block / operand_bytes;
  std::byte* const results_block = state_->block + half_block;
  const auto move = [&](way how, void* to, const void* from, std::size_t bytes) {
    if (how == way::through_copy) return copier.copy(to, from, bytes);
    if (how == way::through_host) std::memcpy(to, from, bytes);
    return errc::success;
  };
  for (std::uint64_t done = 0; done < task.n; done += piece) {
    atomic_task part = task;
    part.n = std::min(piece, task.n - done);
    part.location = at(task.location, done * task.width);
    const void* const given = at(task.operands, done * operand_bytes);
    void* const wanted = at(task.results, done * task.width);
    part.operands = operands == way::direct ? given : state_->block;
    part.results = results == way::direct ? wanted : results_block;
    errc e = move(operands, state_->block, given, part.n * operand_bytes);
    if (e == errc::success) e = state_->launch(part, stream);
    if (e == errc::success) e = move(results, wanted, results_block, part.n * task.width);
    if (e != errc::success) return e;
  }
  return errc::success;
}

}  // namespace oriel::kinds
