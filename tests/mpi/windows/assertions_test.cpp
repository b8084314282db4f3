// Windows that assert: what is refused when they are made, on all ranks alike, and what is refused
// when they are used.
#include "mpi/oriel_mpi.h"
#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

// Makes no window, and says why on every rank.
void refuse(MPI_Datatype base, MPI_Aint count, MPIX_Window_assertions wanted, int error_class,
            const std::string& what) {
  void* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  refused(MPIX_Win_allocate_new(base, count, wanted, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win),
          error_class, what);
  expect(win == MPI_WIN_NULL, "there is no window after " + what);
}

const test_case makes("assertions.refused when a window is made", [] {
  const bool last = rank_in() == size_of() - 1;
  refuse(MPI_INT, 1, MPIX_WINDOW_FENCE | MPIX_WINDOW_ATTACH, MPI_ERR_ASSERT,
         "allocate with attach");
  refuse(MPI_INT, 1, 1 << 30, MPI_ERR_ASSERT, "an assertion that is none");
  refuse(MPI_INT, -1, MPIX_WINDOW_FENCE, MPI_ERR_SIZE, "a negative count");
  refuse(MPI_INT, last ? -1 : 1, MPIX_WINDOW_FENCE, MPI_ERR_SIZE, "a rank's negative count");
  refuse(MPI_DATATYPE_NULL, 1, MPIX_WINDOW_FENCE, MPI_ERR_TYPE, "no base type");
  refuse(last ? MPI_DATATYPE_NULL : MPI_INT, 1, MPIX_WINDOW_FENCE, MPI_ERR_TYPE,
         "a rank's lack of a base type");
  if (size_of() > 1)
    refuse(MPI_INT, 1, last ? MPIX_WINDOW_FENCE : MPIX_WINDOW_PSCW, MPI_ERR_ASSERT,
           "ranks that assert differently");
  if (size_of() > 1 && !on_one_node())
    refuse(MPI_INT, 1, MPIX_WINDOW_FENCE | MPIX_WINDOW_REMOTE_LOAD_STORE, MPI_ERR_ASSERT,
           "loads and stores to another node");
  // After all of which windows can be made.
  const allocated<int> made(1);
});

class asserting {
 public:
  explicit asserting(MPIX_Window_assertions wanted) {
    int* base = nullptr;
    ok(MPIX_Win_allocate_new(MPI_INT, 4, wanted, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  }
  asserting(const asserting&) = delete;
  asserting& operator=(const asserting&) = delete;
  ~asserting() { ok(MPI_Win_free(&win)); }
  MPI_Win win = MPI_WIN_NULL;
};

const test_case fences_alone("assertions.a window that asserts fences", [] {
  const asserting w(MPIX_WINDOW_FENCE);
  const group next({next_rank()});
  refused(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win), MPI_ERR_ASSERT, "a shared lock");
  refused(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win), MPI_ERR_ASSERT, "an exclusive lock");
  refused(MPI_Win_lock_all(0, w.win), MPI_ERR_ASSERT, "a lock_all");
  refused(MPI_Win_post(next.handle, 0, w.win), MPI_ERR_ASSERT, "a post");
  refused(MPI_Win_start(next.handle, 0, w.win), MPI_ERR_ASSERT, "a start");
  int memory[4] = {};
  refused(MPI_Win_attach(w.win, memory, 16), MPI_ERR_RMA_FLAVOR, "an attach");
  ok(MPI_Win_fence(0, w.win));
  int two[2] = {1, 2};
  ok(MPI_Put(two, 1, MPI_INT, next_rank(), 3, 1, MPI_INT, w.win));
  refused(MPI_Put(two, 2, MPI_INT, next_rank(), 0, 2, MPI_INT, w.win), MPI_ERR_ASSERT,
          "a put of two elements");
  refused(MPI_Get(two, 2, MPI_INT, next_rank(), 0, 2, MPI_INT, w.win), MPI_ERR_ASSERT,
          "a get of two elements");
  refused(MPI_Accumulate(two, 2, MPI_INT, next_rank(), 0, 2, MPI_INT, MPI_SUM, w.win),
          MPI_ERR_ASSERT, "an accumulate of two elements");
  ok(MPI_Accumulate(two, 1, MPI_INT, next_rank(), 3, 1, MPI_INT, MPI_SUM, w.win));
  ok(MPI_Win_fence(0, w.win));
});

const test_case layouts("assertions.a window that asserts no layouts", [] {
  const asserting w(MPIX_WINDOW_FENCE | MPIX_WINDOW_MULTI_ELEMENT);
  MPI_Datatype second = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &second);
  MPI_Type_commit(&second);
  int two[2] = {1, 2};
  ok(MPI_Win_fence(0, w.win));
  refused(MPI_Put(two, 2, MPI_INT, next_rank(), 0, 1, second, w.win), MPI_ERR_ASSERT,
          "a put to a layout");
  ok(MPI_Put(two, 2, MPI_INT, next_rank(), 0, 2, MPI_INT, w.win));
  ok(MPI_Win_fence(0, w.win));
  MPI_Type_free(&second);
});

const test_case locks_alone("assertions.a window that asserts locks", [] {
  const asserting w(MPIX_WINDOW_SHARED_LOCK);
  int value = 1;
  refused(MPI_Win_fence(0, w.win), MPI_ERR_ASSERT, "a fence");
  refused(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win), MPI_ERR_ASSERT, "an exclusive lock");
  ok(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win));
  ok(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, w.win));
  ok(MPI_Win_flush(0, w.win));
  ok(MPI_Win_unlock(0, w.win));
  MPI_Barrier(MPI_COMM_WORLD);
});

}  // namespace
}  // namespace oriel::mpi_test
