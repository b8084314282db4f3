// Locks and flushes: whom they keep out, and what is done when they return.
#include <atomic>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

const test_case exclusive("passive.an exclusive lock keeps all others out", [] {
  const int rounds = on_one_node() ? 300 : 60;
  const allocated<long> made(2);
  for (int i = 0; i < rounds; ++i) {
    // Read, add, write: correct only if nobody comes between. Also with a lock on oneself.
    const int target = i % 2 == 0 ? 0 : size_of() - 1;
    long pair[2] = {};
    ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, made.win));
    ok(MPI_Get(pair, 2, MPI_LONG, target, 0, 2, MPI_LONG, made.win));
    ok(MPI_Win_flush(target, made.win));
    same(pair[0], pair[1], "the pair, which changes together");
    ++pair[0];
    ++pair[1];
    ok(MPI_Put(&pair[0], 1, MPI_LONG, target, 0, 1, MPI_LONG, made.win));
    ok(MPI_Put(&pair[1], 1, MPI_LONG, target, 1, 1, MPI_LONG, made.win));
    ok(MPI_Win_unlock(target, made.win));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  long sum = 0, mine = made.at[0];
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  same(sum, long{rounds} * size_of(), "all that was counted");
});

const test_case shared("passive.shared locks are held together", [] {
  const allocated<int> made(1);
  ok(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, made.win));
  MPI_Barrier(MPI_COMM_WORLD);  // ends only if all hold it
  const int one = 1;
  ok(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, made.win));
  ok(MPI_Win_unlock(0, made.win));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_in() == 0) same(made.at[0], size_of(), "the sum");
});

const test_case several("passive.locks on several ranks, and nocheck", [] {
  const allocated<int> made(size_of());
  const int me = rank_in(), n = size_of();
  for (int r = 0; r < n; ++r)
    ok(MPI_Win_lock(MPI_LOCK_SHARED, r, r % 2 == 0 ? MPI_MODE_NOCHECK : 0, made.win));
  for (int r = 0; r < n; ++r) ok(MPI_Put(&me, 1, MPI_INT, r, me, 1, MPI_INT, made.win));
  ok(MPI_Win_flush_local_all(made.win));
  ok(MPI_Win_flush_all(made.win));
  for (int r = n; r-- > 0;) ok(MPI_Win_unlock(r, made.win));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int r = 0; r < n; ++r) same(made.at[r], r, "a rank's word");
  ok(MPI_Win_lock_all(MPI_MODE_NOCHECK, made.win));
  ok(MPI_Win_unlock_all(made.win));
  ok(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, made.win));
  ok(MPI_Win_unlock(MPI_PROC_NULL, made.win));
});

const test_case flushed("passive.flush completes at the target", [] {
  const allocated<int> made(2);
  const int me = rank_in(), value = 41;
  ok(MPI_Win_lock_all(0, made.win));
  if (me == 0) {
    ok(MPI_Put(&value, 1, MPI_INT, size_of() - 1, 0, 1, MPI_INT, made.win));
    ok(MPI_Win_flush(size_of() - 1, made.win));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  ok(MPI_Win_sync(made.win));
  if (me == size_of() - 1) same(made.at[0], 41, "the word that was flushed");
  // What a flush_local leaves alone: the buffer may change at once.
  int buffer = 17;
  ok(MPI_Put(&buffer, 1, MPI_INT, next_rank(), 1, 1, MPI_INT, made.win));
  ok(MPI_Win_flush_local(next_rank(), made.win));
  buffer = -1;
  ok(MPI_Win_unlock_all(made.win));
  MPI_Barrier(MPI_COMM_WORLD);
  same(made.at[1], 17, "the word of the buffer as it was");
});

const test_case stores("passive.what the owner stores is got", [] {
  const allocated<int> made(1);
  for (int i = 1; i <= 20; ++i) {
    ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank_in(), 0, made.win));
    made.at[0] = 100 * i + rank_in();
    ok(MPI_Win_unlock(rank_in(), made.win));
    MPI_Barrier(MPI_COMM_WORLD);
    int seen = 0;
    ok(MPI_Win_lock(MPI_LOCK_SHARED, next_rank(), 0, made.win));
    ok(MPI_Get(&seen, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
    ok(MPI_Win_unlock(next_rank(), made.win));
    same(seen, 100 * i + next_rank(), "the word");
    MPI_Barrier(MPI_COMM_WORLD);
  }
});

const test_case polled("passive.a flag that the owner waits for", [] {
  const allocated<int> made(1);
  const int one = 1;
  ok(MPI_Win_lock_all(0, made.win));
  // Round the ring: each waits for the one before it.
  if (rank_in() != 0)
    while (std::atomic_ref<int>(made.at[0]).load() == 0) MPI_Win_sync(made.win);
  ok(MPI_Accumulate(&one, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, MPI_REPLACE, made.win));
  ok(MPI_Win_flush(next_rank(), made.win));
  while (std::atomic_ref<int>(made.at[0]).load() == 0) MPI_Win_sync(made.win);
  ok(MPI_Win_unlock_all(made.win));
});

}  // namespace
}  // namespace oriel::mpi_test
