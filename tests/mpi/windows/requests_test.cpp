// MPI_Rput and its kin: their requests are requests like those of messages, in every call.
#include <array>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

constexpr int n = 64;

const test_case waited("requests.each way to complete them", [] {
  const allocated<int> made(6 * n);
  std::vector<int> mine(n, rank_in() + 1), back(n), before(n);
  MPI_Win_lock_all(0, made.win);
  MPI_Request one = MPI_REQUEST_NULL;
  for (int at = 0; at < 5 * n; at += n) {
    MPI_Status status;
    int done = 0, index = -1, count = 0;
    ok(MPI_Rput(mine.data(), n, MPI_INT, next_rank(), at, n, MPI_INT, made.win, &one));
    expect(one != MPI_REQUEST_NULL, "there is a request");
    switch (at / n) {
      case 0:
        ok(MPI_Wait(&one, &status));
        break;
      case 1:
        while (done == 0) ok(MPI_Test(&one, &done, &status));
        break;
      case 2:
        ok(MPI_Waitany(1, &one, &index, &status));
        same(index, 0, "the index of the one");
        break;
      case 3:
        ok(MPI_Waitsome(1, &one, &count, &index, &status));
        same(count, 1, "how many are done");
        break;
      default:
        while (done == 0) ok(MPI_Testall(1, &one, &done, &status));
    }
    expect(one == MPI_REQUEST_NULL, "a request that is complete is gone");
    int cancelled = 1;
    MPI_Test_cancelled(&status, &cancelled);
    same(cancelled, 0, "whether it was cancelled");
  }
  MPI_Win_flush(next_rank(), made.win);
  for (int at = 0; at < 5 * n; at += n) {
    back.assign(n, 0);
    ok(MPI_Rget(back.data(), n, MPI_INT, next_rank(), at, n, MPI_INT, made.win, &one));
    ok(MPI_Wait(&one, MPI_STATUS_IGNORE));
    expect(back == mine, "what was put comes back");
  }
  ok(MPI_Raccumulate(mine.data(), n, MPI_INT, next_rank(), 0, n, MPI_INT, MPI_SUM, made.win, &one));
  ok(MPI_Wait(&one, MPI_STATUS_IGNORE));
  MPI_Win_flush(next_rank(), made.win);
  ok(MPI_Rget_accumulate(mine.data(), n, MPI_INT, before.data(), n, MPI_INT, next_rank(), 0, n,
                         MPI_INT, MPI_SUM, made.win, &one));
  ok(MPI_Wait(&one, MPI_STATUS_IGNORE));
  same(before[n - 1], 2 * mine[0], "the sum before the last");
  ok(MPI_Rput(mine.data(), n, MPI_INT, MPI_PROC_NULL, 0, n, MPI_INT, made.win, &one));
  ok(MPI_Wait(&one, MPI_STATUS_IGNORE));
  ok(MPI_Rput(mine.data(), n, MPI_INT, next_rank(), 5 * n, n, MPI_INT, made.win, &one));
  ok(MPI_Request_free(&one));
  MPI_Win_unlock_all(made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  same(made.at[0], 3 * (last_rank() + 1), "the last sum");
  same(made.at[6 * n - 1], last_rank() + 1, "what a freed request has put");
});

const test_case mixed("requests.among those of messages", [] {
  const allocated<int> made(n);
  const int me = rank_in();
  std::vector<int> mine(n, me), got(n, -1), result(n, -1);
  made.at[0] = me;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, made.win);
  std::array<MPI_Request, 4> all{};
  MPI_Irecv(got.data(), n, MPI_INT, last_rank(), 7, MPI_COMM_WORLD, &all[0]);
  ok(MPI_Rget(result.data(), n, MPI_INT, last_rank(), 0, n, MPI_INT, made.win, &all[1]));
  MPI_Isend(mine.data(), n, MPI_INT, next_rank(), 7, MPI_COMM_WORLD, &all[2]);
  all[3] = MPI_REQUEST_NULL;
  std::array<MPI_Status, 4> statuses{};
  ok(MPI_Waitall(4, all.data(), statuses.data()));
  same(got[n - 1], last_rank(), "the message");
  same(statuses[0].MPI_SOURCE, last_rank(), "its source");
  same(result[0], last_rank(), "the word got");
  MPI_Win_unlock_all(made.win);
});

const test_case many("requests.many at once, of layouts", [] {
  constexpr int columns = 500;
  const allocated<int> made(columns * 4);
  std::vector<int> mine(columns * 4), result(columns * 4, -1);
  for (int i = 0; i < columns * 4; ++i) mine[static_cast<std::size_t>(i)] = rank_in() * 10000 + i;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, columns, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<MPI_Request> all(columns);
  MPI_Win_lock_all(0, made.win);
  for (int i = 0; i < columns; ++i)
    ok(MPI_Rput(mine.data() + i, 1, column, next_rank(), i, 1, column, made.win,
                &all[static_cast<std::size_t>(i)]));
  MPI_Datatype gone = column;
  MPI_Type_free(&gone);
  ok(MPI_Waitall(columns, all.data(), MPI_STATUSES_IGNORE));
  MPI_Win_flush(next_rank(), made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < columns; ++i)
    ok(MPI_Rget(result.data() + 4 * i, 4, MPI_INT, rank_in(), 4 * i, 4, MPI_INT, made.win,
                &all[static_cast<std::size_t>(i)]));
  for (int left = columns; left > 0;) {
    int done = 0;
    std::vector<int> which(columns);
    ok(MPI_Testsome(columns, all.data(), &done, which.data(), MPI_STATUSES_IGNORE));
    left -= done == MPI_UNDEFINED ? left : done;
  }
  MPI_Win_unlock_all(made.win);
  for (int i = 0; i < columns * 4; ++i)
    same(result[static_cast<std::size_t>(i)], last_rank() * 10000 + i, "a word");
});

}  // namespace
}  // namespace oriel::mpi_test
