// The calls of oriel_shmem/locks.h: the queue lock of Mellor-Crummey and Scott. A lock's first half
// on PE 0 is the tail of the queue, its second half on each PE that PE's place in the queue. All
// hold 0 while nobody has the lock. PEs are numbered from 1 on here.
#include <cstdint>
#include <string>

#include "shmem/atomics.hpp"
#include "shmem/ending.hpp"
#include "shmem/waiting.hpp"

using oriel::atomic_op;
using oriel::shmem::after_vain_test;
using oriel::shmem::compare_swap;
using oriel::shmem::fail;
using oriel::shmem::fetch_update;
using oriel::shmem::process;
using oriel::shmem::wait_until;

namespace {

constexpr int home = 0;
// In a PE's place: it has the lock. The other bits: who comes behind it, 0 while nobody does.
constexpr std::uint32_t granted = 1u << 31;

static_assert(sizeof(long) == 2 * sizeof(std::uint32_t));
std::uint32_t* tail_of(long* lock) noexcept {
  return reinterpret_cast<std::uint32_t*>(lock);
}
std::uint32_t* place_of(long* lock) noexcept {
  return tail_of(lock) + 1;
}
std::uint32_t read(const std::uint32_t* place) noexcept {
  return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}
std::uint32_t number_of(const process& p) noexcept {
  return static_cast<std::uint32_t>(p.me) + 1;
}

// In the place of PE `pe`. Complete there on return.
void add_bits(long* lock, std::uint32_t bits, int pe) noexcept {
  static_cast<void>(fetch_update<atomic_op::bor>(SHMEM_CTX_DEFAULT, place_of(lock), bits, pe));
}

}  // namespace

extern "C" {

void pshmem_set_lock(long* lock) {
  constexpr const char* call = "shmem_set_lock";
  process& p = process::here(call);
  const std::uint32_t before =
      fetch_update<atomic_op::replace>(SHMEM_CTX_DEFAULT, tail_of(lock), number_of(p), home);
  if (before == 0) return p.note_order();
  const int ahead = static_cast<int>(before) - 1;
  add_bits(lock, number_of(p), ahead);
  wait_until(
      call, [lock] { return (read(place_of(lock)) & granted) != 0; }, ahead);
}
ORIEL_SHMEM_WEAK(set_lock)

int pshmem_test_lock(long* lock) {
  constexpr const char* call = "shmem_test_lock";
  process& p = process::here(call);
  const std::uint32_t before =
      compare_swap(SHMEM_CTX_DEFAULT, tail_of(lock), std::uint32_t{0}, number_of(p), home);
  if (before != 0) return after_vain_test(p, call), 1;
  return p.note_order(), 0;
}
ORIEL_SHMEM_WEAK(test_lock)

void pshmem_clear_lock(long* lock) {
  constexpr const char* call = "shmem_clear_lock";
  process& p = process::here(call);
  p.quiet();
  const auto next = [lock] { return read(place_of(lock)) & ~granted; };
  if (next() == 0) {
    // Before the tail lets others in: this PE's place is then as at first.
    static_cast<void>(
        fetch_update<atomic_op::band>(SHMEM_CTX_DEFAULT, place_of(lock), ~granted, p.me));
    const std::uint32_t last =
        compare_swap(SHMEM_CTX_DEFAULT, tail_of(lock), number_of(p), std::uint32_t{0}, home);
    if (last == number_of(p)) return;
    if (last == 0) fail(std::string(call) + ": nobody holds the lock");
    wait_until(call, [&] { return next() != 0; });
  }
  const std::uint32_t behind = next();
  static_cast<void>(
      fetch_update<atomic_op::replace>(SHMEM_CTX_DEFAULT, place_of(lock), std::uint32_t{0}, p.me));
  add_bits(lock, granted, static_cast<int>(behind) - 1);
}
ORIEL_SHMEM_WEAK(clear_lock)

}  // extern "C"
