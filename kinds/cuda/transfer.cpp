// The kind `cuda`: copies, and memory of other processes.
#include <unistd.h>

#include <cstring>

#include "kinds/cuda/runtime.hpp"

namespace oriel::kinds {
namespace {

static_assert(sizeof(CUipcMemHandle) == sizeof(ipc_ticket::handle));

// CUDA carves allocations below this out of blocks that they share.
constexpr std::size_t smallest_exported = std::size_t{2} << 20;

errc result(bool good) {
  return good ? errc::success : errc::system;
}

}  // namespace

// With several devices, one that is in use already: memory of another process may be reported as
// that of a device where this one has no context and wants none.
int cuda_runtime::device_of_copy(const void* to, const void* from) const noexcept {
  if (count_ == 1) return 0;
  int idle = -1;
  for (const void* side : {to, from}) {
    const auto found = classify(side);
    if (!found || found->where == residence::host) continue;
    if (devices_[static_cast<std::size_t>(found->device)].used()) return found->device;
    if (idle < 0) idle = found->device;
  }
  const int any = some_device();
  return idle >= 0 && !devices_[static_cast<std::size_t>(any)].used() ? idle : any;
}

errc cuda_runtime::copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == 0) return errc::success;
  cuda_device& d = devices_[static_cast<std::size_t>(device_of_copy(to, from))];
  if (!d.ready()) return errc::system;
  const cuda_context_guard current(library_, d.context());
  return result(d.begin_copy(to, from, bytes) && d.wait());
}

errc cuda_runtime::begin(std::span<const copy_piece> pieces) noexcept {
  while (!pieces.empty()) {
    const int device = device_of_copy(pieces.front().to, pieces.front().from);
    cuda_device& d = devices_[static_cast<std::size_t>(device)];
    if (!d.ready()) return errc::system;
    const cuda_context_guard current(library_, d.context());
    bool begun = true;
    do {
      const copy_piece& piece = pieces.front();
      if (piece.bytes != 0) begun = d.begin_copy(piece.to, piece.from, piece.bytes);
      pieces = pieces.subspan(1);
    } while (begun && !pieces.empty() &&
             (count_ == 1 || device_of_copy(pieces.front().to, pieces.front().from) == device));
    d.leave();
    if (!begun) return errc::system;
  }
  return errc::success;
}

errc cuda_runtime::drain() noexcept {
  bool good = true;
  for (int i = 0; i < count_; ++i) good = devices_[static_cast<std::size_t>(i)].drain() && good;
  return result(good);
}

ipc_ticket cuda_runtime::export_memory(void* pointer) {
  const auto found = classify(pointer);
  if (!found) throw error(errc::rma_shared, "the memory is not CUDA's and has no handle of CUDA");
  if (const std::string why = lacks_ipc(found->device, found->where); !why.empty())
    throw error(errc::rma_shared, why);
  unsigned exportable = 0;
  if (library_.pointer_get_attribute(&exportable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                     reinterpret_cast<CUdeviceptr>(pointer)) == CUDA_SUCCESS &&
      exportable == 0)
    throw error(errc::rma_shared,
                "CUDA has no handle of this device memory for other processes: it was mapped with "
                "cuMemMap, comes from a pool (cudaMallocAsync), or is another process's");
  if (found->bytes < smallest_exported)
    throw error(errc::rma_shared,
                "the allocation has " + std::to_string(found->bytes) +
                    " bytes; CUDA keeps those below 2 MiB in blocks with others, which a handle "
                    "would show to other processes too");
  cuda_device& d = use(found->device);
  const cuda_context_guard current(library_, d.context());
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  CUipcMemHandle handle;
  const auto exported = reinterpret_cast<CUdeviceptr>(pointer);
  if (!cuda_device::succeeded("cuMemGetAddressRange",
                              library_.get_address_range(&base, &bytes, exported)) ||
      !cuda_device::succeeded("cuIpcGetMemHandle", library_.ipc_get_handle(&handle, base)))
    fail(errc::rma_shared, "CUDA's device memory cannot be shown to other processes");
  ipc_ticket ticket;
  std::memcpy(ticket.handle.data(), &handle, sizeof handle);
  ticket.offset = exported - base;
  ticket.process = getpid();
  ticket.device = found->device;
  return ticket;
}

std::byte* cuda_runtime::open(const ipc_ticket& ticket, int my_device) {
  if (ticket.process == getpid())
    throw error(errc::rma_shared, "a process cannot open its own memory of CUDA a second time");
  return opened_.open(ticket, [&] {
    cuda_device& d = use(my_device);
    const cuda_context_guard current(library_, d.context());
    CUipcMemHandle handle;
    std::memcpy(&handle, ticket.handle.data(), sizeof handle);
    CUdeviceptr base = 0;
    if (!cuda_device::succeeded(
            "cuIpcOpenMemHandle",
            library_.ipc_open_handle(&base, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)))
      fail(errc::rma_shared, "memory of process " + std::to_string(ticket.process) +
                                 " on CUDA's device " + std::to_string(ticket.device) +
                                 " cannot be opened on device " + std::to_string(my_device));
    return opened_memory{reinterpret_cast<std::byte*>(base), my_device};
  });
}

void cuda_runtime::close(const ipc_ticket& ticket, std::byte*) noexcept {
  opened_.close(ticket, [&](const opened_memory& last) {
    const cuda_device& d = devices_[static_cast<std::size_t>(last.device)];
    const cuda_context_guard current(library_, d.context());
    cuda_device::succeeded("cuIpcCloseMemHandle",
                           library_.ipc_close_handle(reinterpret_cast<CUdeviceptr>(last.base)));
  });
}

}  // namespace oriel::kinds
