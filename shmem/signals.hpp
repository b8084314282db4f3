// A put that is followed by a signal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem/api.hpp"

namespace oriel::shmem {

// What is done to one word of the target's when the data is there.
struct signal {
  std::uint64_t* at;
  std::uint64_t value;
  int op;  // SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD
};

// `bytes` bytes. The source may be changed on return.
void put_signal(shmem_ctx_t, void* dest, const void* source, std::size_t bytes, signal,
                int pe) noexcept;

}  // namespace oriel::shmem
