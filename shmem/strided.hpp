// iput and iget: elements at equal distances.
#pragma once

#include <cstddef>

#include "shmem/api.hpp"

namespace oriel::shmem {

// The first element, and how many elements the next is behind it.
template <class Pointer>
struct strided {
  Pointer at;
  std::ptrdiff_t step;
};

// `n` elements of `bytes` bytes. Complete here on return.
void iput(shmem_ctx_t, strided<void*> dest, strided<const void*> source, std::size_t bytes,
          std::size_t n, int pe) noexcept;
void iget(shmem_ctx_t, strided<void*> dest, strided<const void*> source, std::size_t bytes,
          std::size_t n, int pe) noexcept;

}  // namespace oriel::shmem
