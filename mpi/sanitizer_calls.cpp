// What compilers call before loads and stores in programs built with -fsanitize=thread, in place of
// the sanitizer's own: under ORIEL_CHECK the program's accesses to windows, and to buffers of
// operations, are compared with operations. Only where the program links the sanitizer as a shared
// library, as GCC does, does it call these; the sanitizer itself sees no load and no store then.
#include <dlfcn.h>

#include <atomic>

#include "mpi/host.hpp"
#include "mpi/order.hpp"

namespace oriel::mpi {
namespace {

// The sanitizer's own. Looked up without a guard of the compiler's: the look itself may free
// memory.
std::size_t bytes_allocated_at(const void* allocated) noexcept {
  static constinit std::atomic<void*> known{nullptr};
  void* found = known.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = dlsym(RTLD_DEFAULT, "__sanitizer_get_allocated_size");
    known.store(found, std::memory_order_relaxed);
  }
  return found == nullptr ? 1 : reinterpret_cast<std::size_t (*)(const void*)>(found)(allocated);
}

}  // namespace
}  // namespace oriel::mpi

// NOLINTBEGIN(bugprone-reserved-identifier): names that compilers have given
#define ORIEL_SANITIZER_CALL(name, bytes, writes)                             \
  ORIEL_EXPORT void __tsan_##name(void* memory) {                             \
    oriel::mpi::accessed(memory, bytes, writes, __builtin_return_address(0)); \
  }
#define ORIEL_SANITIZER_CALLS(bytes)                       \
  ORIEL_SANITIZER_CALL(read##bytes, bytes, false)          \
  ORIEL_SANITIZER_CALL(write##bytes, bytes, true)          \
  ORIEL_SANITIZER_CALL(volatile_read##bytes, bytes, false) \
  ORIEL_SANITIZER_CALL(volatile_write##bytes, bytes, true)
ORIEL_SANITIZER_CALLS(1)
ORIEL_SANITIZER_CALLS(2)
ORIEL_SANITIZER_CALLS(4)
ORIEL_SANITIZER_CALLS(8)
ORIEL_SANITIZER_CALLS(16)
#define ORIEL_UNALIGNED_CALLS(bytes)                        \
  ORIEL_SANITIZER_CALL(unaligned_read##bytes, bytes, false) \
  ORIEL_SANITIZER_CALL(unaligned_write##bytes, bytes, true)
ORIEL_UNALIGNED_CALLS(2)
ORIEL_UNALIGNED_CALLS(4)
ORIEL_UNALIGNED_CALLS(8)
ORIEL_UNALIGNED_CALLS(16)

ORIEL_EXPORT void __tsan_read_range(void* memory, unsigned long bytes) {
  if (bytes != 0) oriel::mpi::accessed(memory, bytes, false, __builtin_return_address(0));
}
ORIEL_EXPORT void __tsan_write_range(void* memory, unsigned long bytes) {
  if (bytes != 0) oriel::mpi::accessed(memory, bytes, true, __builtin_return_address(0));
}
// What sanitizers call before memory is freed.
ORIEL_EXPORT void __sanitizer_free_hook(const void* allocated) {
  auto* const watched = oriel::mpi::memory_of_windows.load(std::memory_order_relaxed);
  if (watched == nullptr || !(watched->has_released() || watched->has_buffers())) return;
  const auto low = reinterpret_cast<std::uintptr_t>(allocated);
  const std::uintptr_t high = low + oriel::mpi::bytes_allocated_at(allocated);
  watched->check_freed(low, high);
  watched->freed(low, high);
}
// NOLINTEND(bugprone-reserved-identifier)
