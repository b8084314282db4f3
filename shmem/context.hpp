// Contexts: which PEs an operation's numbers stand for, and where their memory is. What one context
// has begun is completed with what all have, so they hold nothing else.
#pragma once

#include <cstddef>

#include "shmem/process.hpp"

namespace oriel::shmem {

// Where `bytes` bytes from symmetric address `at` on are of `pe`, for loads and stores; null where
// a window must find them, or something is wrong.
inline char* reach(shmem_ctx_t ctx, const void* at, std::size_t bytes, int pe) noexcept {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(at) - ctx->heap);
  if (offset >= ctx->bytes || bytes > ctx->bytes - offset ||
      static_cast<unsigned>(pe) >= static_cast<unsigned>(ctx->pes)) [[unlikely]]
    return nullptr;
  char* const there = ctx->there[pe];
  return there == nullptr ? nullptr : there + offset;
}

// Symmetric memory of one PE, as windows name it.
struct symmetric_place {
  process& in;
  any_window& window;
  rank owner;
  disp first;

  // Ends the job unless the operation on it has begun well.
  void check(status) const noexcept;
  // The same of one that is complete on return, so that what follows does not conflict with it:
  // ORIEL_CHECK compares an origin's operations until a flush.
  void check_complete(status) const noexcept;
};

// Ends the job where `bytes` bytes from `at` on are not symmetric, or the context has no such PE;
// `call` is what needs them.
symmetric_place find(shmem_ctx_t, const char* call, const void* at, std::size_t bytes,
                     int pe) noexcept;

}  // namespace oriel::shmem
