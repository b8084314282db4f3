// Shared memory: MPI_Win_allocate_shared, and the shared query, which answers for every window.
#include <atomic>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

MPI_Comm node_of_this() {
  MPI_Comm node = MPI_COMM_NULL;
  // A pretended node is a node to oriel only.
  const int colour = on_one_node() ? 0 : rank_in();
  MPI_Comm_split(MPI_COMM_WORLD, colour, rank_in(), &node);
  return node;
}

const test_case contiguous("shared.one array of all ranks", [] {
  MPI_Comm node = node_of_this();
  const int me = rank_in(node), n = size_of(node);
  // Rank r has r + 1 numbers, except that rank 1 has none.
  const auto count_of = [](int r) { return r == 1 ? 0 : r + 1; };
  int* mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_allocate_shared(count_of(me) * 4, 4, MPI_INFO_NULL, node, &mine, &win));
  ok(MPI_Win_lock_all(0, win));
  for (int i = 0; i < count_of(me); ++i) mine[i] = 10 * me + i;
  MPI_Win_sync(win);
  MPI_Barrier(node);
  MPI_Win_sync(win);
  MPI_Aint size = -1;
  int unit = -1;
  int* first = nullptr;
  ok(MPI_Win_shared_query(win, 0, &size, &unit, &first));
  int* at = first;
  for (int r = 0; r < n; ++r) {
    int* base = nullptr;
    ok(MPI_Win_shared_query(win, r, &size, &unit, &base));
    same(size, count_of(r) * 4, "a rank's size");
    same(unit, 4, "a rank's unit");
    if (size != 0) expect(base == at, "a rank's memory follows the one's before it");
    for (int i = 0; i < count_of(r); ++i) same(at[i], 10 * r + i, "a number, loaded");
    at += count_of(r);
  }
  int* lowest = nullptr;
  ok(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &lowest));
  expect(lowest == first && size == 4 && unit == 4, "the lowest rank with memory");
  MPI_Barrier(node);  // all have looked
  std::atomic_ref<int>(*first).fetch_add(1);
  const int one = 1;
  ok(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
  ok(MPI_Win_unlock_all(win));
  MPI_Barrier(node);
  same(*first, 2 * n, "what loads, stores and accumulates have added");
  MPI_Barrier(node);
  ok(MPI_Win_free(&win));
  MPI_Comm_free(&node);
});

const test_case lowest("shared.the first ranks may have none", [] {
  MPI_Comm node = node_of_this();
  const int me = rank_in(node), n = size_of(node);
  int* mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_allocate_shared(me == n - 1 ? 40 : 0, 4, MPI_INFO_NULL, node, &mine, &win));
  MPI_Aint size = -1;
  int unit = -1;
  int *found = nullptr, *wanted = nullptr;
  ok(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &found));
  same(size, 40, "the size of the lowest rank with memory");
  ok(MPI_Win_shared_query(win, n - 1, &size, &unit, &wanted));
  expect(found == wanted, "the memory of the lowest rank with memory");
  ok(MPI_Win_free(&win));
  // Nobody has any.
  ok(MPI_Win_allocate_shared(0, 4, MPI_INFO_NULL, node, &mine, &win));
  ok(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &found));
  same(size, 0, "the size where nobody has memory");
  ok(MPI_Win_free(&win));
  MPI_Comm_free(&node);
});

const test_case apart("shared.alloc_shared_noncontig", [] {
  MPI_Comm node = node_of_this();
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "alloc_shared_noncontig", "true");
  long* mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_allocate_shared(8, 8, hints, node, &mine, &win));
  MPI_Info_free(&hints);
  *mine = rank_in(node);
  ok(MPI_Win_fence(0, win));
  for (int r = 0; r < size_of(node); ++r) {
    MPI_Aint size = 0;
    int unit = 0;
    long* theirs = nullptr;
    ok(MPI_Win_shared_query(win, r, &size, &unit, &theirs));
    same(size, 8, "a rank's size");
    same(*theirs, long{r}, "a rank's word");
    if (served()) same(reinterpret_cast<std::uintptr_t>(theirs) % 64, 0U, "its place in a line");
  }
  ok(MPI_Win_fence(0, win));
  ok(MPI_Win_free(&win));
  MPI_Comm_free(&node);
});

// Of any window: who shares memory with this process answers with its own, others with nothing.
void query_all(MPI_Win win, const int* mine, bool may_be_shared) {
  int reached = 0;
  for (int r = 0; r < size_of(); ++r) {
    MPI_Aint size = -1;
    int unit = -1;
    int* base = nullptr;
    ok(MPI_Win_shared_query(win, r, &size, &unit, &base));
    expect(size == 0 || size == 8, "the size is of all or nothing");
    if (size == 0) continue;
    ++reached;
    same(unit, 4, "the unit");
    same(base[1], 100 + r, "a rank's word, loaded");
    if (r == rank_in()) expect(base == mine, "one's own memory is where it was");
  }
  if (may_be_shared && on_one_node()) same(reached, size_of(), "how many ranks are reached");
  MPI_Aint size = -1;
  int unit = -1;
  void* lowest = nullptr;
  ok(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &lowest));
  same(size, reached == 0 ? 0 : 8, "the lowest rank's size");
}

const test_case query("shared.the query on other windows", [] {
  if (!served()) return;
  const allocated<int> made(2);
  made.at[1] = 100 + rank_in();
  int* given = nullptr;
  MPI_Alloc_mem(8, MPI_INFO_NULL, &given);
  given[1] = 100 + rank_in();
  std::vector<int> own{0, 100 + rank_in()};
  MPI_Win on_given = MPI_WIN_NULL, on_own = MPI_WIN_NULL;
  ok(MPI_Win_create(given, 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &on_given));
  ok(MPI_Win_create(own.data(), 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &on_own));
  MPI_Win_fence(0, made.win);
  query_all(made.win, made.at, true);
  query_all(on_given, given, true);
  query_all(on_own, own.data(), false);
  MPI_Win_fence(0, made.win);
  ok(MPI_Win_free(&on_given));
  ok(MPI_Win_free(&on_own));
  MPI_Free_mem(given);
});

const test_case across("shared.not across nodes", [] {
  if (on_one_node() || !served()) return;
  int* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  refused(MPI_Win_allocate_shared(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
          MPI_ERR_RMA_SHARED, "shared memory with another node");
});

}  // namespace
}  // namespace oriel::mpi_test
