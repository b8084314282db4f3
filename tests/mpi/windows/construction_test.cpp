// How windows are made: every constructor, on every kind of communicator, many at once.
#include <cstdint>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

// Every rank sends every rank of the window its number in `comm`, and reads it back.
void greet_all(MPI_Win win, const int* mine, MPI_Comm comm) {
  const int me = rank_in(comm), n = size_of(comm);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  for (int r = 0; r < n; ++r) ok(MPI_Put(&me, 1, MPI_INT, r, me, 1, MPI_INT, win));
  MPI_Win_fence(0, win);
  std::vector<int> seen(static_cast<std::size_t>(n), -1);
  ok(MPI_Get(seen.data(), n, MPI_INT, (me + 1) % n, 0, n, MPI_INT, win));
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  for (int r = 0; r < n; ++r) {
    same(mine[r], r, "what a rank has put here");
    same(seen[static_cast<std::size_t>(r)], r, "what a rank has put next to here");
  }
}

void try_comm(MPI_Comm comm) {
  const allocated<int> made(size_of(comm), comm);
  greet_all(made.win, made.at, comm);
  std::vector<int> memory(static_cast<std::size_t>(size_of(comm)));
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int)), sizeof(int),
                    MPI_INFO_NULL, comm, &win));
  greet_all(win, memory.data(), comm);
  ok(MPI_Win_free(&win));
  expect(win == MPI_WIN_NULL, "a freed handle is MPI_WIN_NULL");
}

const test_case on_communicators("construction.communicators", [] {
  try_comm(MPI_COMM_WORLD);
  try_comm(MPI_COMM_SELF);
  MPI_Comm copy = MPI_COMM_NULL, reversed = MPI_COMM_NULL, halves = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(), &reversed);
  MPI_Comm_split(copy, rank_in() % 2, rank_in(), &halves);
  for (MPI_Comm* comm : {&copy, &reversed, &halves}) {
    try_comm(*comm);
    MPI_Comm_free(comm);
  }
});

const test_case outlives_comm("construction.the communicator may go first", [] {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  int* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_allocate(size_of() * 4, 4, MPI_INFO_NULL, copy, &base, &win));
  MPI_Comm_free(&copy);
  greet_all(win, base, MPI_COMM_WORLD);
  ok(MPI_Win_free(&win));
});

const test_case own_sizes("construction.sizes and units of each rank's own", [] {
  // Even ranks have no memory; odd ones count in bytes, in 3, 5 and so on.
  const int me = rank_in(), n = size_of();
  const auto unit_of = [](int r) { return 1 + r; };
  const auto bytes_of = [](int r) { return r % 2 == 0 ? 0 : 16 * (1 + r); };
  std::vector<char> memory(static_cast<std::size_t>(bytes_of(me)));
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_create(memory.empty() ? nullptr : memory.data(), bytes_of(me), unit_of(me),
                    MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  const char value = 'a';
  if (me == 0)
    for (int r = 1; r < n; r += 2) ok(MPI_Put(&value, 1, MPI_CHAR, r, 15, 1, MPI_CHAR, win));
  if (served()) {
    refused(MPI_Put(&value, 1, MPI_CHAR, 0, 0, 1, MPI_CHAR, win), MPI_ERR_RMA_RANGE,
            "a put where there is no memory");
    for (int r = 1; r < n; r += 2)
      refused(MPI_Put(&value, 1, MPI_CHAR, r, 16, 1, MPI_CHAR, win), MPI_ERR_RMA_RANGE,
              "a put behind the end");
  }
  MPI_Win_fence(0, win);
  for (std::size_t i = 0; i < memory.size(); ++i)
    same(int{memory[i]}, i == static_cast<std::size_t>(15 * unit_of(me)) ? 'a' : 0, "a byte");
  ok(MPI_Win_free(&win));
});

const test_case several("construction.several at once", [] {
  constexpr int windows = 12;
  std::vector<std::vector<int>> memory(windows);
  std::vector<MPI_Win> win(windows);
  for (std::size_t i = 0; i < windows; ++i) {
    memory[i].assign(static_cast<std::size_t>(size_of()), -1);
    ok(MPI_Win_create(memory[i].data(), size_of() * 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[i]));
  }
  for (MPI_Win w : win) MPI_Win_lock_all(0, w);
  for (std::size_t i = 0; i < windows; ++i) {
    const int value = static_cast<int>(i);
    MPI_Put(&value, 1, MPI_INT, next_rank(), rank_in(), 1, MPI_INT, win[i]);
    MPI_Win_flush(next_rank(), win[i]);
  }
  for (MPI_Win w : win) MPI_Win_unlock_all(w);
  MPI_Barrier(MPI_COMM_WORLD);
  for (std::size_t i = 0; i < windows; ++i)
    same(memory[i][static_cast<std::size_t>(last_rank())], static_cast<int>(i), "a window's word");
  // Not in the order of making.
  for (std::size_t i = 0; i < windows; ++i) ok(MPI_Win_free(&win[(5 * i) % windows]));
});

const test_case overlapping("construction.windows on the same memory", [] {
  std::vector<int> memory(8);
  MPI_Win low = MPI_WIN_NULL, high = MPI_WIN_NULL;
  ok(MPI_Win_create(memory.data(), 24, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &low));
  ok(MPI_Win_create(memory.data() + 2, 24, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &high));
  const int value = 7;
  for (MPI_Win w : {low, high}) {
    MPI_Win_fence(0, w);
    ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 2, 1, MPI_INT, w));
    MPI_Win_fence(0, w);
  }
  same(memory[2], 7, "the word of the first");
  same(memory[4], 7, "the word of the second");
  ok(MPI_Win_free(&low));
  ok(MPI_Win_free(&high));
});

const test_case thousand("construction.a thousand, made and freed", [] {
  const int rounds = on_one_node() && size_of() < 3 ? 1000 : 50;
  for (int i = 0; i < rounds; ++i) {
    int* base = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    ok(MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = -1;
    MPI_Win_fence(0, win);
    MPI_Put(&i, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    same(*base, i, "the word of a round");
    ok(MPI_Win_free(&win));
  }
});

const test_case from_alloc_mem("construction.memory of MPI_Alloc_mem", [] {
  constexpr MPI_Aint words = 100'000;
  int* memory = nullptr;
  ok(MPI_Alloc_mem(words * 4, MPI_INFO_NULL, &memory));
  for (MPI_Aint i = 0; i < words; ++i) memory[i] = -1;
  MPI_Win win = MPI_WIN_NULL;
  // A part of it, and not from its beginning.
  ok(MPI_Win_create(memory + 3, (words - 3) * 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  const int me = rank_in();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next_rank(), 0, win);
  ok(MPI_Put(&me, 1, MPI_INT, next_rank(), words - 4, 1, MPI_INT, win));
  MPI_Win_unlock(next_rank(), win);
  MPI_Barrier(MPI_COMM_WORLD);
  same(memory[words - 1], last_rank(), "the last word");
  ok(MPI_Win_free(&win));
  ok(MPI_Free_mem(memory));
  void* nothing = nullptr;
  ok(MPI_Alloc_mem(0, MPI_INFO_NULL, &nothing));
  ok(MPI_Free_mem(nothing));
});

}  // namespace
}  // namespace oriel::mpi_test
