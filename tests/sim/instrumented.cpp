// What sources of the simulation call in the place of each access of memory: they are compiled with
// -fsanitize=thread, whose library is not linked. These are the functions of that library, by the
// names and signatures that compilers give them; each access of shared memory is a step of the run.
// This file itself is compiled without.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/sim/scheduler.hpp"

namespace oriel::sim {
namespace {

// As compilers number std::memory_order.
enum order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };

[[gnu::noinline]] scheduler* watching_run_at(const void* at) noexcept {
  scheduler* const run = scheduler::active();
  return run != nullptr && run->is_shared(at) ? run : nullptr;
}

// The run whose thread accesses what its processes share; null for all other accesses, and in runs
// where no access is a step, of which most of the time would go by here.
inline scheduler* run_at(const void* at) noexcept {
  return scheduler::watches() ? watching_run_at(at) : nullptr;
}

void read_plainly(const void* at, std::size_t bytes) {
  scheduler* const run = run_at(at);
  if (run == nullptr) return;
  run->step("reads", at);
  if (run->stores().touches(at, bytes)) run->drain();
}

void write_plainly(const void* at, std::size_t bytes) {
  scheduler* const run = run_at(at);
  if (run == nullptr) return;
  run->step("writes", at);
  store_buffer& mine = run->stores();
  if (run->how().stores != visibility::weak || mine.fenced() || mine.touches(at, bytes))
    run->drain();
}

template <class T>
T load(const volatile T* from) {
  T* const at = const_cast<T*>(from);
  scheduler* const run = run_at(at);
  if (run == nullptr) return __atomic_load_n(at, __ATOMIC_SEQ_CST);
  run->step("loads", at);
  T value = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  store_buffer& mine = run->stores();
  if (const auto own = mine.read(at, sizeof(T))) {
    value = static_cast<T>(*own);
  } else if (mine.touches(at, sizeof(T))) {
    run->drain();
    value = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  }
  run->note(static_cast<std::uint64_t>(value));
  return value;
}

template <class T>
void store(volatile T* to, T value, int how) {
  T* const at = const_cast<T*>(to);
  scheduler* const run = run_at(at);
  if (run == nullptr) return __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
  run->step("stores", at);
  run->note(static_cast<std::uint64_t>(value));
  store_buffer& mine = run->stores();
  if (run->how().stores != visibility::at_once && how != seq_cst)
    return mine.add(at, sizeof(T), static_cast<std::uint64_t>(value),
                    run->how().stores == visibility::in_order || how != relaxed);
  run->drain();
  __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}

// `change(old)` is what is stored. Returns the old value.
template <class T, class Change>
T modify(volatile T* of, Change change) {
  T* const at = const_cast<T*>(of);
  scheduler* const run = run_at(at);
  if (run != nullptr) {
    run->step("modifies", at);
    run->drain();
  }
  T old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(at, &old, change(old), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
  if (run != nullptr) run->note(static_cast<std::uint64_t>(old));
  return old;
}

template <class T>
int compare_exchange(volatile T* of, T* expected, T desired, bool may_fail) {
  const T wanted = *expected;
  scheduler* const run = run_at(const_cast<T*>(of));
  const bool fails = may_fail && run != nullptr && run->chance(16);
  const T old = modify(of, [&](T now) { return now == wanted && !fails ? desired : now; });
  *expected = old;
  return old == wanted && !fails ? 1 : 0;
}

void fence(int how) {
  scheduler* const run = scheduler::active();
  if (run == nullptr || how == relaxed) return;
  if (how == seq_cst)
    run->drain();
  else if (how == release || how == acq_rel)
    run->stores().fence();
}

}  // namespace
}  // namespace oriel::sim

extern "C" {

void __tsan_init() {}
void __tsan_atomic_signal_fence(int) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int how) {
  oriel::sim::fence(how);
}
void __tsan_read_range(void* at, unsigned long bytes) {
  oriel::sim::read_plainly(at, bytes);
}
void __tsan_write_range(void* at, unsigned long bytes) {
  oriel::sim::write_plainly(at, bytes);
}

#define ORIEL_SIM_PLAIN(name, bytes)            \
  void __tsan_read##name(void* at) {            \
    oriel::sim::read_plainly(at, bytes);        \
  }                                             \
  void __tsan_write##name(void* at) {           \
    oriel::sim::write_plainly(at, bytes);       \
  }                                             \
  void __tsan_unaligned_read##name(void* at) {  \
    oriel::sim::read_plainly(at, bytes);        \
  }                                             \
  void __tsan_unaligned_write##name(void* at) { \
    oriel::sim::write_plainly(at, bytes);       \
  }
ORIEL_SIM_PLAIN(1, 1)
ORIEL_SIM_PLAIN(2, 2)
ORIEL_SIM_PLAIN(4, 4)
ORIEL_SIM_PLAIN(8, 8)
ORIEL_SIM_PLAIN(16, 16)

#define ORIEL_SIM_ATOMIC(bits, type)                                                               \
  type __tsan_atomic##bits##_load(const volatile type* at, int) {                                  \
    return oriel::sim::load(at);                                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type* at, type value, int how) {                       \
    oriel::sim::store(at, value, how);                                                             \
  }                                                                                                \
  type __tsan_atomic##bits##_exchange(volatile type* at, type value, int) {                        \
    return oriel::sim::modify(at, [value](type) { return value; });                                \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_add(volatile type* at, type n, int) {                           \
    return oriel::sim::modify(at, [n](type old) { return static_cast<type>(old + n); });           \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_sub(volatile type* at, type n, int) {                           \
    return oriel::sim::modify(at, [n](type old) { return static_cast<type>(old - n); });           \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_and(volatile type* at, type n, int) {                           \
    return oriel::sim::modify(at, [n](type old) { return static_cast<type>(old & n); });           \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_or(volatile type* at, type n, int) {                            \
    return oriel::sim::modify(at, [n](type old) { return static_cast<type>(old | n); });           \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_xor(volatile type* at, type n, int) {                           \
    return oriel::sim::modify(at, [n](type old) { return static_cast<type>(old ^ n); });           \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* at, type* expected,             \
                                                    type desired, int, int) {                      \
    return oriel::sim::compare_exchange(at, expected, desired, false);                             \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* at, type* expected, type desired, \
                                                  int, int) {                                      \
    return oriel::sim::compare_exchange(at, expected, desired, true);                              \
  }
ORIEL_SIM_ATOMIC(8, std::uint8_t)
ORIEL_SIM_ATOMIC(16, std::uint16_t)
ORIEL_SIM_ATOMIC(32, std::uint32_t)
ORIEL_SIM_ATOMIC(64, std::uint64_t)

// Copies whose length is known late, by pieces: a process may be killed in the middle of one.
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  using namespace oriel::sim;
  if (run_at(to) == nullptr && run_at(from) == nullptr) return __real_memcpy(to, from, bytes);
  constexpr std::size_t piece = 8;
  for (std::size_t k = 0; k < bytes; k += piece) {
    const std::size_t n = bytes - k < piece ? bytes - k : piece;
    auto* const at = static_cast<std::byte*>(to) + k;
    const auto* const source = static_cast<const std::byte*>(from) + k;
    read_plainly(source, n);
    write_plainly(at, n);
    __real_memcpy(at, source, n);
  }
  return to;
}
}

namespace oriel::sim {

void scheduler::copy_quietly(void* to, const void* from, std::size_t bytes) noexcept {
  __real_memcpy(to, from, bytes);
}

}  // namespace oriel::sim
