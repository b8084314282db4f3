#include "transport/cma.hpp"

#include <algorithm>
#include <array>
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

// What is left to move of some pieces.
class rest_of {
 public:
  explicit rest_of(std::span<const iovec> all) noexcept : left_(all) {}
  [[nodiscard]] std::span<const iovec> left() const noexcept { return left_; }
  void skip(std::size_t bytes) noexcept {
    if (left_.data() != room_.data()) {
      std::copy(left_.begin(), left_.end(), room_.begin());
      left_ = {room_.data(), left_.size()};
    }
    std::size_t whole = 0;
    for (; whole < left_.size() && bytes >= left_[whole].iov_len; ++whole)
      bytes -= left_[whole].iov_len;
    std::copy(left_.begin() + static_cast<std::ptrdiff_t>(whole), left_.end(), room_.begin());
    left_ = {room_.data(), left_.size() - whole};
    if (left_.empty()) return;
    room_[0].iov_base = static_cast<std::byte*>(room_[0].iov_base) + bytes;
    room_[0].iov_len -= bytes;
  }

 private:
  std::span<const iovec> left_;
  std::array<iovec, most_cma_pieces> room_;
};

errc move_pieces(mover call, pid_t owner, std::span<const iovec> there,
                 std::span<const iovec> here) noexcept {
  std::size_t bytes = 0;
  for (const iovec& one : there) bytes += one.iov_len;
  rest_of from(there), to(here);
  while (bytes > 0) {
    const ssize_t moved =
        call(owner, to.left().data(), to.left().size(), from.left().data(), from.left().size(), 0);
    if (moved < 0) {
      if (errno == EINTR) continue;
      return code_of_errno(errno);
    }
    if (moved == 0) return errc::rma_range;
    bytes -= static_cast<std::size_t>(moved);
    if (bytes == 0) break;
    from.skip(static_cast<std::size_t>(moved));
    to.skip(static_cast<std::size_t>(moved));
  }
  return errc::success;
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
