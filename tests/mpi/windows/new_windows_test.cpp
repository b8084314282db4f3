// The constructors of oriel_mpi.h and what they say of their windows.
#include <cstring>
#include <vector>

#include "mpi/oriel_mpi.h"
#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

constexpr MPIX_Window_assertions usual =
    MPIX_WINDOW_LOCAL_LOAD_STORE | MPIX_WINDOW_FENCE | MPIX_WINDOW_SHARED_LOCK;

const test_case allocates("new.MPIX_Win_allocate_new", [] {
  double* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  const MPI_Aint count = rank_in() == 0 ? 0 : 10 * rank_in();
  ok(MPIX_Win_allocate_new(MPI_DOUBLE, count, usual, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  for (MPI_Aint i = 0; i < count; ++i) same(base[i], 0.0, "new memory");
  void* value = nullptr;
  int found = 0;
  ok(MPI_Win_get_attr(win, MPI_WIN_SIZE, static_cast<void*>(&value), &found));
  same(*static_cast<MPI_Aint*>(value), count * 8, "MPI_WIN_SIZE");
  ok(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, static_cast<void*>(&value), &found));
  same(*static_cast<int*>(value), 8, "MPI_WIN_DISP_UNIT");
  ok(MPI_Win_fence(0, win));
  const double mine = rank_in();
  for (int r = 1; r < size_of(); ++r)
    ok(MPI_Put(&mine, 1, MPI_DOUBLE, r, rank_in(), 1, MPI_DOUBLE, win));
  ok(MPI_Win_fence(0, win));
  for (int r = 0; count != 0 && r < size_of(); ++r) same(base[r], double(r), "a rank's number");
  for (int r = 0; r < size_of(); ++r) {
    MPIX_Segment segment{-1, -1, nullptr};
    int segments = -1;
    ok(MPIX_Win_segments(win, r, 1, &segment, &segments));
    if (r != 0) {
      same(segments, 1, "how many segments");
      same(segment.disp, 0, "where it begins");
      same(segment.size, MPI_Aint{80} * r, "its bytes");
    }
    if (r == rank_in() && r != 0) expect(segment.base == base, "one's own is where it was");
  }
  ok(MPI_Win_free(&win));
});

const test_case creates("new.MPIX_Win_create_new", [] {
  std::vector<int> memory(4, -1);
  MPI_Win win = MPI_WIN_NULL;
  ok(MPIX_Win_create_new(MPI_INT, memory.data(), 4, usual | MPIX_WINDOW_MULTI_ELEMENT,
                         MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  const int mine[2] = {rank_in(), -rank_in()};
  ok(MPI_Win_lock_all(0, win));
  ok(MPI_Put(mine, 2, MPI_INT, next_rank(), 1, 2, MPI_INT, win));
  ok(MPI_Win_unlock_all(win));
  MPI_Barrier(MPI_COMM_WORLD);
  same(memory[1], last_rank(), "the second word");
  same(memory[2], -last_rank(), "the third word");
  same(memory[3], -1, "the last word");
  ok(MPI_Win_free(&win));
});

const test_case attaches("new.MPIX_Win_create_new to attach to", [] {
  MPI_Win win = MPI_WIN_NULL;
  ok(MPIX_Win_create_new(MPI_INT, nullptr, 0, usual | MPIX_WINDOW_ATTACH, MPI_INFO_NULL,
                         MPI_COMM_WORLD, &win));
  void* value = nullptr;
  int found = 0;
  ok(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, static_cast<void*>(&value), &found));
  same(*static_cast<int*>(value), int{MPI_WIN_FLAVOR_DYNAMIC}, "the flavor");
  std::vector<int> low(3), high(5);
  ok(MPI_Win_attach(win, low.data(), 12));
  ok(MPI_Win_attach(win, high.data(), 20));
  MPI_Aint mine = 0, theirs = 0;
  MPI_Get_address(&high[4], &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, last_rank(), 0, &theirs, 1, MPI_AINT, next_rank(), 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int number = 50 + rank_in();
  ok(MPI_Win_lock(MPI_LOCK_SHARED, next_rank(), 0, win));
  ok(MPI_Put(&number, 1, MPI_INT, next_rank(), theirs, 1, MPI_INT, win));
  ok(MPI_Win_unlock(next_rank(), win));
  MPI_Barrier(MPI_COMM_WORLD);
  same(high[4], 50 + last_rank(), "the last attached word");
  int segments = 0;
  std::vector<MPIX_Segment> all(4);
  ok(MPIX_Win_segments(win, rank_in(), 4, all.data(), &segments));
  same(segments, 2, "how many segments");
  same(all[0].size + all[1].size, 32, "their bytes");
  ok(MPIX_Win_segments(win, rank_in(), 0, nullptr, &segments));
  same(segments, 2, "how many segments, asked for alone");
  ok(MPI_Win_detach(win, low.data()));
  ok(MPI_Win_detach(win, high.data()));
  MPI_Barrier(MPI_COMM_WORLD);
  ok(MPI_Win_free(&win));
});

const test_case records("new.a base type of the program's own", [] {
  struct record {
    int key;
    double value;
  };
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {offsetof(record, key), offsetof(record, value)};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype bare = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, types, &bare);
  MPI_Type_create_resized(bare, 0, sizeof(record), &type);
  MPI_Type_commit(&type);
  record* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  ok(MPIX_Win_allocate_new(type, 3, usual | MPIX_WINDOW_USER_DATATYPE, MPI_INFO_NULL,
                           MPI_COMM_WORLD, &base, &win));
  const record mine{rank_in(), 0.5 * rank_in()};
  ok(MPI_Win_fence(0, win));
  ok(MPI_Put(&mine, 1, type, next_rank(), 2, 1, type, win));
  ok(MPI_Win_fence(0, win));
  same(base[2].key, last_rank(), "the key");
  same(base[2].value, 0.5 * last_rank(), "the value");
  ok(MPI_Win_free(&win));
  MPI_Type_free(&bare);
  MPI_Type_free(&type);
});

// An operation on elements of the base type is not one of another type, gathered or not.
const test_case swaps_base_type("new.swaps of the base type", [] {
  long* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "oriel_aggregate", "true");
  ok(MPIX_Win_allocate_new(MPI_LONG, 2, usual | MPIX_WINDOW_MULTI_ELEMENT, hints, MPI_COMM_WORLD,
                           &base, &win));
  MPI_Info_free(&hints);
  ok(MPI_Win_lock_all(0, win));
  const long expected = 0, desired = 7, more = 1;
  long found = -1, before = -1;
  ok(MPI_Compare_and_swap(&desired, &expected, &found, MPI_LONG, next_rank(), 1, win));
  ok(MPI_Win_flush(next_rank(), win));
  same(found, 0L, "what the swap has found");
  ok(MPI_Fetch_and_op(&more, &before, MPI_LONG, next_rank(), 1, MPI_SUM, win));
  ok(MPI_Win_flush(next_rank(), win));
  same(before, 7L, "what the sum has found");
  ok(MPI_Win_unlock_all(win));
  MPI_Barrier(MPI_COMM_WORLD);
  same(base[1], 8L, "what is left");
  ok(MPI_Win_free(&win));
});

const test_case explains("new.MPIX_Win_explain", [] {
  double* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  ok(MPIX_Win_allocate_new(MPI_DOUBLE, 1, usual, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  char text[8] = "", nothing = 'x';
  int length = 0, whole = 0;
  ok(MPIX_Win_explain(win, 8, text, &length));
  ok(MPIX_Win_explain(win, 0, &nothing, &whole));
  expect(length > 8 && length == whole && nothing == 'x', "the length is of all of it");
  same(std::strlen(text), 7U, "what there is room for");
  expect(explanation(win).find("shared_lock") != std::string::npos, "it names the assertions");
  ok(MPI_Win_free(&win));
});

}  // namespace
}  // namespace oriel::mpi_test
