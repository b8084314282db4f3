#include "shmem/atomics.hpp"

namespace oriel::shmem {
namespace {

primitive as_bits(std::size_t bytes) noexcept {
  return bytes == 4 ? primitive::uint32 : primitive::uint64;
}

}  // namespace

void update_far(shmem_ctx_t ctx, atomic_op op, void* dest, const void* value, std::size_t bytes,
                int pe) noexcept {
  const symmetric_place at = find(ctx, "an atomic operation", dest, bytes, pe);
  at.check(at.window.accumulate(op, as_bits(bytes), at.owner, at.first, value, 1, caller));
  at.send_at_once();
}

void fetch_update_far(shmem_ctx_t ctx, atomic_op op, void* before, const void* dest,
                      const void* value, std::size_t bytes, int pe, completion when) noexcept {
  const symmetric_place at = find(ctx, "an atomic operation", dest, bytes, pe);
  if (when == completion::by_quiet)
    at.check(
        at.window.get_accumulate(op, as_bits(bytes), at.owner, at.first, value, before, 1, caller));
  else
    at.check_complete(
        at.window.fetch_op(op, as_bits(bytes), at.owner, at.first, value, before, caller));
}

void compare_swap_far(shmem_ctx_t ctx, void* before, void* dest, const void* cond,
                      const void* value, std::size_t bytes, int pe, completion when) noexcept {
  const symmetric_place at = find(ctx, "an atomic operation", dest, bytes, pe);
  if (when == completion::by_quiet)
    at.check(at.window.compare_swap_nbi(as_bits(bytes), at.owner, at.first, cond, value, before,
                                        caller));
  else
    at.check_complete(
        at.window.compare_swap(as_bits(bytes), at.owner, at.first, cond, value, before, caller));
}

}  // namespace oriel::shmem
