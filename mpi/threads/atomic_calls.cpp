// What compilers call for atomic operations in programs built with -fsanitize=thread: the object's
// address is the key of what it orders, whatever memory order is asked for.
#include <cstdint>

#include "mpi/threads/taken_calls.hpp"

namespace {
char fence;  // all of them
}

using oriel::mpi::acquire;
using oriel::mpi::release;

const void* key_of(const volatile void* object) noexcept {
  return const_cast<const void*>(object);
}

// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_EXCHANGING(name, value)                                            \
  ORIEL_TAKE(value, name, (volatile value * object, value operand, int order)) { \
    release(key_of(object));                                                     \
    const value before = ORIEL_NEXT(name)(object, operand, order);               \
    acquire(key_of(object));                                                     \
    return before;                                                               \
  }
#define ORIEL_COMPARING(name, result, value, expected_type)                              \
  ORIEL_TAKE(result, name,                                                               \
             (volatile value * object, expected_type expected, value desired, int order, \
              int order_else)) {                                                         \
    release(key_of(object));                                                             \
    const result done = ORIEL_NEXT(name)(object, expected, desired, order, order_else);  \
    acquire(key_of(object));                                                             \
    return done;                                                                         \
  }
#define ORIEL_ATOMICS(bits, value)                                                           \
  ORIEL_TAKE(value, __tsan_atomic##bits##_load, (const volatile value* object, int order)) { \
    const value found = ORIEL_NEXT(__tsan_atomic##bits##_load)(object, order);               \
    acquire(key_of(object));                                                                 \
    return found;                                                                            \
  }                                                                                          \
  ORIEL_TAKE(void, __tsan_atomic##bits##_store,                                              \
             (volatile value * object, value stored, int order)) {                           \
    release(key_of(object));                                                                 \
    ORIEL_NEXT(__tsan_atomic##bits##_store)(object, stored, order);                          \
  }                                                                                          \
  ORIEL_EXCHANGING(__tsan_atomic##bits##_exchange, value)                                    \
  ORIEL_EXCHANGING(__tsan_atomic##bits##_fetch_add, value)                                   \
  ORIEL_EXCHANGING(__tsan_atomic##bits##_fetch_sub, value)                                   \
  ORIEL_EXCHANGING(__tsan_atomic##bits##_fetch_and, value)                                   \
  ORIEL_EXCHANGING(__tsan_atomic##bits##_fetch_or, value)                                    \
  ORIEL_EXCHANGING(__tsan_atomic##bits##_fetch_xor, value)                                   \
  ORIEL_EXCHANGING(__tsan_atomic##bits##_fetch_nand, value)                                  \
  ORIEL_COMPARING(__tsan_atomic##bits##_compare_exchange_strong, int, value, value*)         \
  ORIEL_COMPARING(__tsan_atomic##bits##_compare_exchange_weak, int, value, value*)           \
  ORIEL_COMPARING(__tsan_atomic##bits##_compare_exchange_val, value, value, value)
ORIEL_ATOMICS(8, std::uint8_t)
ORIEL_ATOMICS(16, std::uint16_t)
ORIEL_ATOMICS(32, std::uint32_t)
ORIEL_ATOMICS(64, std::uint64_t)
#ifdef __SIZEOF_INT128__
ORIEL_ATOMICS(128, unsigned __int128)
#endif
ORIEL_TAKE(void, __tsan_atomic_thread_fence, (int order)) {
  release(&fence);
  ORIEL_NEXT(__tsan_atomic_thread_fence)(order);
  acquire(&fence);
}
// NOLINTEND(bugprone-macro-parentheses)
