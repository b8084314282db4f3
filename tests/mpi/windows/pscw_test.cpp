// Fence, and post, start, complete and wait.
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

const test_case fences("active.fence with every assertion", [] {
  const allocated<int> made(2);
  for (int i = 1; i <= 50; ++i) {
    const int value = 10 * i + rank_in();
    int seen = 0;
    ok(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE, made.win));
    ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
    ok(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, made.win));
    same(made.at[0], 10 * i + last_rank(), "what was put before the fence");
    ok(MPI_Get(&seen, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
    ok(MPI_Win_fence(MPI_MODE_NOSUCCEED, made.win));
    same(seen, value, "what was got before the fence");
  }
});

const test_case ring("active.post and start round a ring", [] {
  const allocated<int> made(2);
  const group left({last_rank()}), right({next_rank()});
  for (int i = 1; i <= 100; ++i) {
    const int value = 10 * i + rank_in();
    ok(MPI_Win_post(left.handle, i % 2 == 0 ? MPI_MODE_NOSTORE : 0, made.win));
    ok(MPI_Win_start(right.handle, 0, made.win));
    ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
    ok(MPI_Win_complete(made.win));
    ok(MPI_Win_wait(made.win));
    same(made.at[0], 10 * i + last_rank(), "what was put in the epoch");
  }
});

const test_case star("active.all to one, tested for", [] {
  const allocated<int> made(size_of());
  const int me = rank_in();
  std::vector<int> others;
  for (int r = 1; r < size_of(); ++r) others.push_back(r);
  const group origins(others), centre({0});
  for (int i = 1; i <= 30; ++i) {
    if (me == 0) {
      ok(MPI_Win_post(origins.handle, 0, made.win));
      int done = 0;
      while (done == 0) ok(MPI_Win_test(made.win, &done));
      for (const int r : others) same(made.at[r], i * r, "an origin's word");
    } else {
      const int value = i * me;
      ok(MPI_Win_start(centre.handle, 0, made.win));
      ok(MPI_Accumulate(&value, 1, MPI_INT, 0, me, 1, MPI_INT, MPI_REPLACE, made.win));
      ok(MPI_Win_complete(made.win));
    }
  }
});

const test_case nobody("active.empty groups", [] {
  const allocated<int> made(1);
  ok(MPI_Win_post(MPI_GROUP_EMPTY, 0, made.win));
  ok(MPI_Win_start(MPI_GROUP_EMPTY, 0, made.win));
  ok(MPI_Win_complete(made.win));
  int done = 0;
  ok(MPI_Win_test(made.win, &done));
  same(done, 1, "whether an epoch that nobody was let into is over");
});

const test_case oneself("active.oneself", [] {
  const allocated<int> made(1);
  const group self({rank_in()});
  const int value = 3;
  ok(MPI_Win_post(self.handle, 0, made.win));
  ok(MPI_Win_start(self.handle, 0, made.win));
  ok(MPI_Put(&value, 1, MPI_INT, rank_in(), 0, 1, MPI_INT, made.win));
  ok(MPI_Win_complete(made.win));
  ok(MPI_Win_wait(made.win));
  same(made.at[0], 3, "one's own word");
});

const test_case each_kind("active.each kind of epoch after the other", [] {
  const allocated<int> made(4);
  const int me = rank_in();
  const group left({last_rank()}), right({next_rank()});
  for (int i = 0; i < 10; ++i) {
    const int value = 10 * i + me;
    ok(MPI_Win_fence(0, made.win));
    ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
    ok(MPI_Win_fence(0, made.win));
    ok(MPI_Win_post(left.handle, 0, made.win));
    ok(MPI_Win_start(right.handle, 0, made.win));
    ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 1, 1, MPI_INT, made.win));
    ok(MPI_Win_complete(made.win));
    ok(MPI_Win_wait(made.win));
    ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next_rank(), 0, made.win));
    ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 2, 1, MPI_INT, made.win));
    ok(MPI_Win_unlock(next_rank(), made.win));
    ok(MPI_Win_lock_all(0, made.win));
    ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 3, 1, MPI_INT, made.win));
    ok(MPI_Win_unlock_all(made.win));
    ok(MPI_Win_fence(0, made.win));
    for (int e = 0; e < 4; ++e) same(made.at[e], 10 * i + last_rank(), "an epoch's word");
    ok(MPI_Win_fence(MPI_MODE_NOSUCCEED, made.win));
  }
});

}  // namespace
}  // namespace oriel::mpi_test
