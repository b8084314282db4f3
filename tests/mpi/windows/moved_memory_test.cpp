// What programs do to memory that has become the node's: the calls of allocators, which the host's
// own hooks of memory may have replaced.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

constexpr std::size_t bytes = 1 << 20;

// Whether the memory behind the window is mapped by other ranks, too.
bool is_shared(MPI_Win win) {
  MPI_Aint size = 0;
  int unit = 0;
  void* there = nullptr;
  ok(MPI_Win_shared_query(win, (rank_in() + 1) % size_of(), &size, &unit, &there));
  return there != nullptr;
}

const test_case allocators("moved.allocators get what they count on", [] {
  if (size_of() == 1) return;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(memory, 1, bytes);
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "oriel_move_private", "true");
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_create(memory, bytes, 1, hints, MPI_COMM_WORLD, &win));
  if (is_shared(win)) {
    const auto* const words = static_cast<const volatile int*>(memory);
    same(words[0], 0x01010101, "what was there");
    expect(madvise(memory, bytes, MADV_DONTNEED) == 0, "pages are given back");
    same(words[0], 0, "what an allocator finds in pages that it has given back");
    errno = 0;
    expect(mremap(memory, bytes, 2 * bytes, MREMAP_MAYMOVE) == MAP_FAILED && errno == EFAULT,
           "moved memory does not grow into its neighbours");
  }
  ok(MPI_Win_free(&win));
  MPI_Info_free(&hints);
  munmap(memory, bytes);
});

}  // namespace
}  // namespace oriel::mpi_test
