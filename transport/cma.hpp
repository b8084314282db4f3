// Reading and writing another process's private memory through the kernel (process_vm_readv(2)).
// Returns when the bytes have been moved: source reusable, result usable, complete at the target.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "oriel/errc.hpp"

namespace oriel::transport {

// peer_failed when the process is gone, rma_range when its memory is not mapped there, system when
// the kernel refuses.
errc cma_read(pid_t owner, std::uint64_t address, void* to, std::size_t bytes) noexcept;
errc cma_write(pid_t owner, std::uint64_t address, const void* from, std::size_t bytes) noexcept;

// The same of many pieces: `here` and `there` are as many bytes in all, in order, whatever the
// pieces on each side are. At most most_cma_pieces on each side. An error may leave some of them
// moved.
inline constexpr std::size_t most_cma_pieces = 256;
errc cma_read_pieces(pid_t owner, std::span<const iovec> there,
                     std::span<const iovec> here) noexcept;
errc cma_write_pieces(pid_t owner, std::span<const iovec> there,
                      std::span<const iovec> here) noexcept;

// Whether this process may do so, tried on one byte at `address`.
bool cma_allowed(pid_t owner, std::uint64_t address) noexcept;

}  // namespace oriel::transport
