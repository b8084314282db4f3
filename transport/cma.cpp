#include "transport/cma.hpp"

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

// process_vm_readv or process_vm_writev.
using mover = decltype(&process_vm_readv);

// The kernel moves at most 2 GiB a call and may stop early at an unmapped page.
errc move_all(mover call, pid_t owner, std::uint64_t address, std::byte* local,
              std::size_t bytes) noexcept {
  while (bytes > 0) {
    const iovec here{local, bytes};
    const iovec there{reinterpret_cast<void*>(address), bytes};  // NOLINT: another address space
    const ssize_t moved = call(owner, &here, 1, &there, 1, 0);
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

// Pieces are moved once more where a signal came first.
errc move_pieces(mover call, pid_t owner, std::span<const iovec> there,
                 std::span<const iovec> here) noexcept {
  std::size_t bytes = 0;
  for (const iovec& one : there) bytes += one.iov_len;
  for (;;) {
    const ssize_t moved = call(owner, here.data(), here.size(), there.data(), there.size(), 0);
    if (moved >= 0)
      return static_cast<std::size_t>(moved) == bytes ? errc::success : errc::rma_range;
    if (errno != EINTR) return code_of_errno(errno);
  }
}

}  // namespace

errc cma_read_pieces(pid_t owner, std::span<const iovec> there,
                     std::span<const iovec> here) noexcept {
  return move_pieces(process_vm_readv, owner, there, here);
}

errc cma_write_pieces(pid_t owner, std::span<const iovec> there,
                      std::span<const iovec> here) noexcept {
  return move_pieces(process_vm_writev, owner, there, here);
}

errc cma_read(pid_t owner, std::uint64_t address, void* to, std::size_t bytes) noexcept {
  return move_all(process_vm_readv, owner, address, static_cast<std::byte*>(to), bytes);
}

errc cma_write(pid_t owner, std::uint64_t address, const void* from, std::size_t bytes) noexcept {
  return move_all(process_vm_writev, owner, address,
                  const_cast<std::byte*>(static_cast<const std::byte*>(from)), bytes);
}

bool cma_allowed(pid_t owner, std::uint64_t address) noexcept {
  std::byte probe;
  return cma_read(owner, address, &probe, 1) == errc::success;
}

}  // namespace oriel::transport
