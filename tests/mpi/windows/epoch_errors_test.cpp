// MPI_ERR_RMA_SYNC: calls outside the epochs that they need, and epochs that cannot be opened.
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

void out_of_epoch(int code, const std::string& what, place at = place::current()) {
  refused(code, MPI_ERR_RMA_SYNC, what, at);
}

const test_case outside("epochs.operations outside of one", [] {
  if (!served()) return;
  const allocated<int> made(1);
  MPI_Win win = made.win;
  int a = 1, b = 0;
  const int next = next_rank();
  const auto put = [&] { return MPI_Put(&a, 1, MPI_INT, next, 0, 1, MPI_INT, win); };
  out_of_epoch(put(), "a put in no epoch");
  out_of_epoch(MPI_Get(&b, 1, MPI_INT, next, 0, 1, MPI_INT, win), "a get in no epoch");
  out_of_epoch(MPI_Accumulate(&a, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win), "an accumulate");
  out_of_epoch(MPI_Fetch_and_op(&a, &b, MPI_INT, next, 0, MPI_SUM, win), "a fetch");
  out_of_epoch(MPI_Compare_and_swap(&a, &a, &b, MPI_INT, next, 0, win), "a swap");
  out_of_epoch(MPI_Win_flush(next, win), "a flush");
  out_of_epoch(MPI_Win_flush_local_all(win), "a flush_local_all");
  out_of_epoch(MPI_Win_unlock(next, win), "an unlock");
  out_of_epoch(MPI_Win_unlock_all(win), "an unlock_all");
  out_of_epoch(MPI_Win_complete(win), "a complete");
  out_of_epoch(MPI_Win_wait(win), "a wait");
  int done = 0;
  out_of_epoch(MPI_Win_test(win, &done), "a test");
  ok(MPI_Win_sync(win));
  ok(MPI_Win_fence(0, win));
  ok(put());
  ok(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  out_of_epoch(put(), "a put behind the last fence");
  same(made.at[0], 1, "the one word that was put");
  MPI_Barrier(MPI_COMM_WORLD);
});

const test_case inside("epochs.of another kind inside of one", [] {
  if (!served()) return;
  const allocated<int> made(1);
  MPI_Win win = made.win;
  const int next = next_rank(), value = 1;
  const group right({next}), left({last_rank()});
  ok(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
  out_of_epoch(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win), "a lock on what is locked");
  out_of_epoch(MPI_Win_lock_all(0, win), "a lock_all inside a lock");
  out_of_epoch(MPI_Win_start(right.handle, 0, win), "a start inside a lock");
  out_of_epoch(MPI_Win_fence(0, win), "a fence inside a lock");
  out_of_epoch(MPI_Win_complete(win), "a complete inside a lock");
  out_of_epoch(MPI_Win_unlock_all(win), "an unlock_all inside a lock");
  if (size_of() > 2) {
    const int other = (next + 1) % size_of();
    out_of_epoch(MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win), "a put to one not locked");
    out_of_epoch(MPI_Win_flush(other, win), "a flush of one not locked");
  }
  ok(MPI_Win_unlock(next, win));
  ok(MPI_Win_lock_all(0, win));
  out_of_epoch(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win), "a lock inside a lock_all");
  out_of_epoch(MPI_Win_lock_all(0, win), "a lock_all inside a lock_all");
  out_of_epoch(MPI_Win_unlock(next, win), "an unlock inside a lock_all");
  ok(MPI_Win_unlock_all(win));
  ok(MPI_Win_post(left.handle, 0, win));
  out_of_epoch(MPI_Win_post(left.handle, 0, win), "a post inside an exposure");
  ok(MPI_Win_start(right.handle, 0, win));
  out_of_epoch(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win), "a lock inside a start");
  out_of_epoch(MPI_Win_start(right.handle, 0, win), "a start inside a start");
  out_of_epoch(MPI_Win_flush(next, win), "a flush inside a start");
  if (size_of() > 1)
    out_of_epoch(MPI_Put(&value, 1, MPI_INT, rank_in(), 0, 1, MPI_INT, win),
                 "a put to one not in the group");
  ok(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
  ok(MPI_Win_complete(win));
  ok(MPI_Win_wait(win));
  same(made.at[0], 1, "the word of the epoch among the errors");
});

const test_case at_the_end("epochs.a free inside of one", [] {
  if (!served()) return;
  int* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  ok(MPI_Win_lock_all(0, win));
  out_of_epoch(MPI_Win_free(&win), "a free inside a lock_all");
  expect(win != MPI_WIN_NULL, "the window is still there");
  ok(MPI_Win_unlock_all(win));
  ok(MPI_Win_fence(0, win));
  ok(MPI_Win_free(&win));  // a fence's epoch is none as long as nobody uses it
});

}  // namespace
}  // namespace oriel::mpi_test
