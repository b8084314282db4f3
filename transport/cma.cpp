#include "transport/cma.hpp"

#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace oriel::transport {
namespace {

errc code_of_errno(int failure) noexcept {
  switch (failure) {
    case ESRCH:
      return errc::peer_failed;
    case EFAULT:
      return errc::rma_range;
    default:
      return errc::system;
  }
}

// The kernel moves at most 2 GiB a call and may stop early at an unmapped page.
template <class Call>
errc move_all(Call call, std::uint64_t address, std::byte* local, std::size_t bytes) noexcept {
  while (bytes > 0) {
    const iovec here{local, bytes};
    const iovec there{reinterpret_cast<void*>(address), bytes};  // NOLINT: another address space
    const ssize_t moved = call(here, there);
    if (moved < 0) {
      if (errno == EINTR) continue;
      return code_of_errno(errno);
    }
    if (moved == 0) return errc::rma_range;
    local += moved;
    address += static_cast<std::uint64_t>(moved);
    bytes -= static_cast<std::size_t>(moved);
  }
  return errc::success;
}

}  // namespace

errc cma_read(pid_t owner, std::uint64_t address, void* to, std::size_t bytes) noexcept {
  return move_all(
      [owner](const iovec& here, const iovec& there) {
        return process_vm_readv(owner, &here, 1, &there, 1, 0);
      },
      address, static_cast<std::byte*>(to), bytes);
}

errc cma_write(pid_t owner, std::uint64_t address, const void* from, std::size_t bytes) noexcept {
  return move_all(
      [owner](const iovec& here, const iovec& there) {
        return process_vm_writev(owner, &here, 1, &there, 1, 0);
      },
      address, const_cast<std::byte*>(static_cast<const std::byte*>(from)), bytes);
}

bool cma_allowed(pid_t owner, std::uint64_t address) noexcept {
  // Windows are made again and again between the same processes.
  static constinit std::array<std::atomic<pid_t>, 256> allowed;
  auto& known = allowed[static_cast<std::size_t>(owner) % allowed.size()];
  if (known.load(std::memory_order_relaxed) == owner) return true;
  std::byte probe;
  if (cma_read(owner, address, &probe, 1) != errc::success) return false;
  known.store(owner, std::memory_order_relaxed);
  return true;
}

}  // namespace oriel::transport
