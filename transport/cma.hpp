// Reading and writing another process's private memory through the kernel (process_vm_readv(2)).
// Returns when the bytes have been moved: source reusable, result usable, complete at the target.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "oriel/errc.hpp"

namespace oriel::transport {

// peer_failed when the process is gone, rma_range when its memory is not mapped there, system when
// the kernel refuses.
errc cma_read(pid_t owner, std::uint64_t address, void* to, std::size_t bytes) noexcept;
errc cma_write(pid_t owner, std::uint64_t address, const void* from, std::size_t bytes) noexcept;

// Whether this process may do so, tried on one byte at `address`.
bool cma_allowed(pid_t owner, std::uint64_t address) noexcept;

}  // namespace oriel::transport
