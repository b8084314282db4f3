// What programs have the C library read and write for them: compilers report no loads and stores of
// these calls.
#include <cstddef>

#include "mpi/threads/taken_calls.hpp"

namespace oriel::mpi {
namespace {

void accessed(const void* memory, std::size_t bytes, bool writes, const void* caller) noexcept {
  told_order::tell([&](const thread_order& o) {
    if (bytes != 0 && is_the_programs_own(caller)) o.access(memory, bytes, writes, caller);
  });
}

}  // namespace
}  // namespace oriel::mpi

// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_COPYING(name, parameters, arguments)                         \
  ORIEL_TAKE(void*, name, parameters) {                                    \
    oriel::mpi::accessed(from, bytes, false, __builtin_return_address(0)); \
    oriel::mpi::accessed(to, bytes, true, __builtin_return_address(0));    \
    return ORIEL_NEXT(name) arguments;                                     \
  }
#define ORIEL_FILLING(name, parameters, arguments)                      \
  ORIEL_TAKE(void*, name, parameters) {                                 \
    oriel::mpi::accessed(to, bytes, true, __builtin_return_address(0)); \
    return ORIEL_NEXT(name) arguments;                                  \
  }
// NOLINTEND(bugprone-macro-parentheses)
ORIEL_COPYING(memcpy, (void* to, const void* from, std::size_t bytes), (to, from, bytes))
ORIEL_COPYING(memmove, (void* to, const void* from, std::size_t bytes), (to, from, bytes))
ORIEL_COPYING(__memcpy_chk, (void* to, const void* from, std::size_t bytes, std::size_t room),
              (to, from, bytes, room))
ORIEL_COPYING(__memmove_chk, (void* to, const void* from, std::size_t bytes, std::size_t room),
              (to, from, bytes, room))
ORIEL_FILLING(memset, (void* to, int value, std::size_t bytes), (to, value, bytes))
ORIEL_FILLING(__memset_chk, (void* to, int value, std::size_t bytes, std::size_t room),
              (to, value, bytes, room))
