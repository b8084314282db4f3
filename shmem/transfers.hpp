// Put and get: the common case, on memory that is mapped here, and all others.
#pragma once

#include <cstddef>

#include "oriel/detail/copy_bytes.hpp"
#include "shmem/api.hpp"
#include "shmem/context.hpp"

namespace oriel::shmem {

// When a transfer's buffer here may be used again: on return, or after shmem_quiet.
enum class completion : bool { on_return, by_quiet };

// What is not mapped here, and what is wrong.
void put_far(shmem_ctx_t, void* dest, const void* source, std::size_t bytes, int pe,
             completion) noexcept;
void get_far(shmem_ctx_t, void* dest, const void* source, std::size_t bytes, int pe,
             completion) noexcept;

inline void put(shmem_ctx_t ctx, void* dest, const void* source, std::size_t bytes, int pe,
                completion when = completion::on_return) noexcept {
  if (char* const there = reach(ctx, dest, bytes, pe)) [[likely]]
    return detail::copy_bytes(there, source, bytes);
  put_far(ctx, dest, source, bytes, pe, when);
}

inline void get(shmem_ctx_t ctx, void* dest, const void* source, std::size_t bytes, int pe,
                completion when = completion::on_return) noexcept {
  if (const char* const there = reach(ctx, source, bytes, pe)) [[likely]]
    return detail::copy_bytes(dest, there, bytes);
  get_far(ctx, dest, source, bytes, pe, when);
}

}  // namespace oriel::shmem
