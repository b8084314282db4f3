// Errors of arguments: each has the class that the standard names, and the window's error
// handler is called.
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

struct heard {
  int times = 0;
  int error_class = MPI_SUCCESS;
  MPI_Win window = MPI_WIN_NULL;
};
heard last_heard;  // a handler has no argument to keep it by

void listen(MPI_Win* win, int* code, ...) {
  ++last_heard.times;
  MPI_Error_class(*code, &last_heard.error_class);
  last_heard.window = *win;
}

// The class is returned, and passed to the handler, once.
void wrong(MPI_Win win, int code, int error_class, const std::string& what,
           place at = place::current()) {
  refused(code, error_class, what, at);
  same(last_heard.times, 1, "how often the handler was called for " + what, at);
  same(last_heard.error_class, error_class, "what it was told for " + what, at);
  expect(last_heard.window == win, "it was told the window for " + what, at);
  last_heard = {};
}

const test_case arguments("errors.arguments", [] {
  if (!served()) return;
  const allocated<int> made(4);
  MPI_Win win = made.win;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  ok(MPI_Win_create_errhandler(listen, &handler));
  ok(MPI_Win_set_errhandler(win, handler));
  MPI_Errhandler got = MPI_ERRHANDLER_NULL;
  ok(MPI_Win_get_errhandler(win, &got));
  expect(got == handler, "the handler that was set");
  MPI_Errhandler_free(&got);
  last_heard = {};
  int a = 1, b = 2;
  const int next = next_rank(), n = size_of();
  const MPI_Aint far = MPI_Aint{1} << 62;  // times the unit it is 0, and more than any address
  ok(MPI_Win_fence(0, win));
  const auto put = [&](int count, MPI_Datatype type, int target, MPI_Aint disp) {
    return MPI_Put(&a, count, type, target, disp, count, type, win);
  };
  wrong(win, put(1, MPI_INT, n, 0), MPI_ERR_RANK, "a rank too high");
  wrong(win, put(1, MPI_INT, -7, 0), MPI_ERR_RANK, "a rank below zero");
  wrong(win, put(-1, MPI_INT, next, 0), MPI_ERR_COUNT, "a count below zero");
  wrong(win, put(1, MPI_DATATYPE_NULL, next, 0), MPI_ERR_TYPE, "no datatype");
  wrong(win, put(1, MPI_INT, next, 4), MPI_ERR_RMA_RANGE, "a place behind the end");
  wrong(win, put(5, MPI_INT, next, 0), MPI_ERR_RMA_RANGE, "elements behind the end");
  wrong(win, put(1, MPI_INT, next, -1), MPI_ERR_DISP, "a displacement below zero");
  const int behind = put(1, MPI_INT, next, far);
  expect(behind != MPI_SUCCESS, "a displacement beyond every address is refused");
  last_heard = {};
  wrong(win, MPI_Put(&a, 1, MPI_INT, next, 0, 2, MPI_INT, win), MPI_ERR_TYPE, "unequal sides");
  wrong(win, MPI_Get(&a, 1, MPI_INT, next, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE, "a get's place");
  wrong(win, MPI_Get(&a, 1, MPI_INT, n, 0, 1, MPI_INT, win), MPI_ERR_RANK, "a get's rank");
  const auto fetch = [&](MPI_Datatype type, int target, MPI_Aint disp, MPI_Op op) {
    return MPI_Fetch_and_op(&a, &b, type, target, disp, op, win);
  };
  wrong(win, fetch(MPI_INT, n, 0, MPI_SUM), MPI_ERR_RANK, "a fetch's rank");
  wrong(win, fetch(MPI_INT, next, 4, MPI_SUM), MPI_ERR_RMA_RANGE, "a fetch's place");
  expect(fetch(MPI_INT, next, far, MPI_SUM) != MPI_SUCCESS, "a fetch beyond every address");
  last_heard = {};
  wrong(win, fetch(MPI_FLOAT, next, 0, MPI_BXOR), MPI_ERR_OP, "bits of a float");
  wrong(win, fetch(MPI_INT, next, 0, MPI_OP_NULL), MPI_ERR_OP, "no operation");
  MPI_Datatype two = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  wrong(win, fetch(two, next, 0, MPI_SUM), MPI_ERR_TYPE, "a fetch of two");
  MPI_Type_free(&two);
  wrong(win, MPI_Compare_and_swap(&a, &a, &b, MPI_DOUBLE, next, 0, win), MPI_ERR_TYPE,
        "a swap of doubles");
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own);
  wrong(win, MPI_Accumulate(&a, 1, MPI_INT, next, 0, 1, MPI_INT, own, win), MPI_ERR_OP,
        "an operation of the program's");
  MPI_Op_free(&own);
  MPI_Request request = MPI_REQUEST_NULL;
  wrong(win, MPI_Rput(&a, 1, MPI_INT, n, 0, 1, MPI_INT, win, &request), MPI_ERR_RANK,
        "a request's rank");
  ok(MPI_Win_fence(0, win));  // an argument that was refused does not spoil the epoch
  same(last_heard.times, 0, "how often the handler was called for nothing");
  for (int i = 0; i < 4; ++i) same(made.at[i], 0, "a word that only errors were aimed at");
  wrong(win, MPI_Win_lock(12345, next, 0, win), MPI_ERR_LOCKTYPE, "no type of lock");
  wrong(win, MPI_Win_lock(MPI_LOCK_SHARED, n, 0, win), MPI_ERR_RANK, "a lock's rank");
  wrong(win, MPI_Win_post(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP, "no group");
  wrong(win, MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP, "no group to start with");
  wrong(win, MPI_Win_fence(1 << 30, win), MPI_ERR_ASSERT, "an assertion that is none");
  wrong(win, MPI_Win_lock_all(1 << 30, win), MPI_ERR_ASSERT, "a lock_all's assertion");
  MPI_Aint size = 0;
  int unit = 0;
  void* base = nullptr;
  wrong(win, MPI_Win_shared_query(win, n, &size, &unit, &base), MPI_ERR_RANK, "a query's rank");
  ok(MPI_Win_fence(0, win));
  MPI_Errhandler_free(&handler);
  MPI_Barrier(MPI_COMM_WORLD);
});

const test_case foreign("errors.a group with others", [] {
  if (!served() || size_of() < 2) return;
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_in(), 0, &alone);
  {
    const allocated<int> made(1, alone);
    const group others({next_rank()});
    refused(MPI_Win_start(others.handle, 0, made.win), MPI_ERR_GROUP, "a start with a stranger");
    refused(MPI_Win_post(others.handle, 0, made.win), MPI_ERR_GROUP, "a post to a stranger");
  }
  MPI_Comm_free(&alone);
});

const test_case construction("errors.construction", [] {
  if (!served()) return;
  void* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  // One rank's mistake is everyone's error, so that nobody waits for the others.
  const bool last = rank_in() == size_of() - 1;
  refused(MPI_Win_allocate(last ? -8 : 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
          MPI_ERR_SIZE, "a negative size");
  refused(MPI_Win_allocate(8, last ? 0 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
          MPI_ERR_DISP, "a unit of nothing");
  refused(MPI_Win_create(base, 8, last ? -2 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP,
          "a negative unit");
  expect(win == MPI_WIN_NULL, "the handle is as it was");
});

}  // namespace
}  // namespace oriel::mpi_test
