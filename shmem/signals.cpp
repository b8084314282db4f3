#include "shmem/signals.hpp"

#include "shmem/atomics.hpp"
#include "shmem/guard.hpp"

namespace oriel::shmem {
namespace {

void raise(shmem_ctx_t ctx, signal s, int pe) noexcept {
  if (s.op == SHMEM_SIGNAL_SET) return update<atomic_op::replace>(ctx, s.at, s.value, pe);
  if (s.op == SHMEM_SIGNAL_ADD) return update<atomic_op::sum>(ctx, s.at, s.value, pe);
  fail("put_signal: there is no signal operation " + std::to_string(s.op) +
       "; valid: SHMEM_SIGNAL_SET and SHMEM_SIGNAL_ADD");
}

}  // namespace

// An atomic operation may overtake a put to another node, so that one is completed first.
void put_signal(shmem_ctx_t ctx, void* dest, const void* source, std::size_t bytes, signal s,
                int pe) noexcept {
  if (char* const there = reach(ctx, dest, bytes, pe)) [[likely]] {
    detail::copy_bytes(there, source, bytes);
  } else if (bytes != 0) {
    const symmetric_place to = find(ctx, "put_signal", dest, bytes, pe);
    to.check(to.window.put(to.owner, to.first, source, bytes, caller));
    to.check(to.window.flush(to.owner, flush_scope::target, caller));
  }
  raise(ctx, s, pe);
}

}  // namespace oriel::shmem
