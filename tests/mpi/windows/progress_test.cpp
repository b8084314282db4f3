// A rank that waits in a window's call goes on with the messages that it has begun: the rank that
// it waits for may be waiting for those.
#include <atomic>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

// More than any MPI sends before its receiver has posted a receive.
constexpr int large = 4 << 20;

// Rank 0 begins to send to rank 1, then waits in `waits`; rank 1 receives, then does `frees`, which
// ends that wait. The others do `elsewhere`.
template <class Waits, class Frees, class Elsewhere>
void cross(Waits waits, Frees frees, Elsewhere elsewhere) {
  if (size_of() < 2) return;
  std::vector<char> data(rank_in() < 2 ? large : 0, rank_in() == 0 ? 'x' : '-');
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank_in() == 0) {
    MPI_Isend(data.data(), large, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    waits();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank_in() == 1) {
    MPI_Recv(data.data(), large, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(data.front() == 'x' && data.back() == 'x', "the message has come");
    frees();
  } else {
    elsewhere();
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

const test_case fence("progress.in a fence", [] {
  const allocated<int> made(1);
  const auto all = [&] { ok(MPI_Win_fence(0, made.win)); };
  cross(all, all, all);
});

const test_case freeing("progress.in a free, and in a constructor", [] {
  int* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  const auto make = [&] {
    ok(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  };
  const auto free = [&] { ok(MPI_Win_free(&win)); };
  cross(make, make, make);
  cross(free, free, free);
});

const test_case pscw("progress.in start, complete, wait and test", [] {
  if (size_of() < 2) return;
  const allocated<int> made(1);
  const group first({0}), second({1});
  const int value = 5;
  const auto access = [&](MPI_Group group, int target) {
    ok(MPI_Win_start(group, 0, made.win));
    ok(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, made.win));
    ok(MPI_Win_complete(made.win));
  };
  const auto expose = [&](MPI_Group group, bool tests) {
    ok(MPI_Win_post(group, 0, made.win));
    int done = 0;
    while (tests && done == 0) ok(MPI_Win_test(made.win, &done));
    if (!tests) ok(MPI_Win_wait(made.win));
  };
  const auto nothing = [] {};
  cross([&] { access(second.handle, 1); }, [&] { expose(first.handle, false); }, nothing);
  cross([&] { expose(second.handle, false); }, [&] { access(first.handle, 0); }, nothing);
  cross([&] { expose(second.handle, true); }, [&] { access(first.handle, 0); }, nothing);
});

const test_case locks("progress.in a lock", [] {
  const allocated<int> made(1);
  const int last = size_of() - 1;
  const auto take = [&](bool all) {
    ok(all ? MPI_Win_lock_all(0, made.win) : MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, made.win));
    ok(all ? MPI_Win_unlock_all(made.win) : MPI_Win_unlock(last, made.win));
  };
  for (const bool all : {false, true}) {
    if (rank_in() == 1) ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, made.win));
    MPI_Barrier(MPI_COMM_WORLD);
    cross([&] { take(all); }, [&] { ok(MPI_Win_unlock(last, made.win)); }, [] {});
  }
});

const test_case polling("progress.in flushes and syncs that poll", [] {
  const allocated<int> made(1);
  const int one = 1;
  ok(MPI_Win_lock_all(0, made.win));
  const auto raise = [&] {
    ok(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, made.win));
    ok(MPI_Win_flush(0, made.win));
  };
  cross(
      [&] {
        for (int seen = 0; seen < 1;) {
          ok(MPI_Fetch_and_op(nullptr, &seen, MPI_INT, 0, 0, MPI_NO_OP, made.win));
          ok(MPI_Win_flush(0, made.win));
        }
      },
      raise, [] {});
  cross(
      [&] {
        while (std::atomic_ref<int>(made.at[0]).load() < 2) ok(MPI_Win_sync(made.win));
      },
      raise, [] {});
  ok(MPI_Win_unlock_all(made.win));
});

}  // namespace
}  // namespace oriel::mpi_test
