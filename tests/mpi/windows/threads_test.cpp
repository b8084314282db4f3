// MPI_THREAD_MULTIPLE: four threads of each rank, on one window and on windows of their own.
#include <array>
#include <thread>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

constexpr int threads = 4;

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back(work, t);
  for (std::thread& one : all) one.join();
}

bool can_thread() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  return provided == MPI_THREAD_MULTIPLE;
}

int rounds() {
  return on_one_node() ? 300 : 40;
}

// One more in the first element of `target`, which its lock alone makes safe.
void count_at(int target, MPI_Win win) {
  long value = 0;
  ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
  ok(MPI_Get(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
  ok(MPI_Win_flush(target, win));
  ++value;
  ok(MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
  ok(MPI_Win_unlock(target, win));
}

const test_case one_window("threads.one window", [] {
  if (!can_thread()) return;
  const allocated<long> made(1 + 64 * threads);
  MPI_Win_lock_all(0, made.win);
  in_threads([&](int t) {
    static const long one = 1;  // the accumulates outlive the threads
    std::vector<long> mine(64), back(64, -1);
    for (int i = 0; i < rounds(); ++i) {
      ok(MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, made.win));
      mine.assign(64, 1000 * t + i);
      const MPI_Aint at = 1 + 64 * t;
      MPI_Datatype half = MPI_DATATYPE_NULL;
      MPI_Type_vector(32, 1, 2, MPI_LONG, &half);
      MPI_Type_commit(&half);
      ok(MPI_Put(mine.data(), 64, MPI_LONG, next_rank(), at, 64, MPI_LONG, made.win));
      ok(MPI_Win_flush(next_rank(), made.win));
      MPI_Request request = MPI_REQUEST_NULL;
      ok(MPI_Rget(back.data(), 1, half, next_rank(), at, 32, MPI_LONG, made.win, &request));
      ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
      same(back[62], mine[0], "a word that this thread has put");
      MPI_Type_free(&half);
    }
  });
  MPI_Win_unlock_all(made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_in() == 0)
    same(made.at[0], long{rounds()} * threads * size_of(), "what all threads have added");
});

const test_case own_windows("threads.a window of each", [] {
  if (!can_thread()) return;
  std::array<MPI_Comm, threads> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  in_threads([&](int t) {
    MPI_Comm comm = comms[static_cast<std::size_t>(t)];
    for (int i = 0; i < 3; ++i) {
      const allocated<int> made(1, comm);
      const int value = 100 * t + i;
      ok(MPI_Win_fence(0, made.win));
      ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
      ok(MPI_Win_fence(0, made.win));
      same(made.at[0], value, "the word of a thread's window");
    }
  });
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
});

const test_case locks("threads.locks on different ranks", [] {
  if (!can_thread()) return;
  const allocated<long> made(2);
  in_threads([&](int t) {
    // A lock is the process's: two threads of it may not lock one rank.
    for (int r = t; r < size_of(); r += threads)
      for (int i = 0; i < rounds() / 4; ++i) count_at(r, made.win);
  });
  MPI_Barrier(MPI_COMM_WORLD);
  same(made.at[0], long{rounds() / 4} * size_of(), "what was counted here");
});

// Each exclusive lock excludes every lock_all by a word that rank 0 keeps: both threads request it,
// and to other nodes as the same rank.
const test_case two_targets("threads.two targets locked while the others lock all", [] {
  if (!can_thread() || size_of() < 3) return;
  const allocated<long> made(1);
  const int locker = size_of() - 1;
  std::vector<std::thread> both;
  for (const int target : {0, size_of() - 2}) {
    if (rank_in() != locker) continue;
    both.emplace_back([&made, target] {
      for (int i = 0; i < rounds(); ++i) count_at(target, made.win);
    });
  }
  for (std::thread& one : both) one.join();
  for (int i = 0; rank_in() != locker && i < rounds(); ++i) {
    const long one = 1;
    ok(MPI_Win_lock_all(0, made.win));
    ok(MPI_Accumulate(&one, 1, MPI_LONG, (rank_in() + i) % 2 * (size_of() - 2), 0, 1, MPI_LONG,
                      MPI_SUM, made.win));
    ok(MPI_Win_unlock_all(made.win));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_in() != 0 && rank_in() != size_of() - 2) return;
  long both_words = 0;
  if (rank_in() == 0)
    MPI_Recv(&both_words, 1, MPI_LONG, size_of() - 2, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(&made.at[0], 1, MPI_LONG, 0, 9, MPI_COMM_WORLD);
  if (rank_in() == 0)
    same(both_words + made.at[0], long{rounds()} * (size_of() + 1), "what was added in all");
});

// Requests are served by the agent and by whichever threads are in the host's progress just then.
const test_case served_by_many("threads.private memory, while threads wait for messages", [] {
  if (!can_thread() || size_of() < 2) return;
  std::vector<long> memory(threads, 0);
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_create(memory.data(), threads * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  ok(MPI_Win_lock_all(0, win));
  in_threads([&](int t) {
    const long one = 1;
    for (int i = 0; i < rounds(); ++i) {
      if (t % 2 == 0) {
        ok(MPI_Accumulate(&one, 1, MPI_LONG, next_rank(), i % threads, 1, MPI_LONG, MPI_SUM, win));
        ok(MPI_Win_flush(next_rank(), win));
      } else {
        int sent = i, got = -1;
        ok(MPI_Sendrecv(&sent, 1, MPI_INT, next_rank(), t, &got, 1, MPI_INT, last_rank(), t,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        same(got, i, "the message of a round");
      }
    }
  });
  ok(MPI_Win_unlock_all(win));
  MPI_Barrier(MPI_COMM_WORLD);
  long all = 0;
  for (const long word : memory) all += word;
  same(all, long{rounds()} * threads / 2, "what was added to this rank's words");
  ok(MPI_Win_free(&win));
});

}  // namespace
}  // namespace oriel::mpi_test
