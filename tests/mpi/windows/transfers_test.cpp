// Put and get with elements that lie one after the other: every predefined type, every size,
// nothing at all, and nobody to give it to.
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

const test_case predefined("transfers.every predefined type", [] {
  const MPI_Datatype types[] = {MPI_BYTE,
                                MPI_CHAR,
                                MPI_SIGNED_CHAR,
                                MPI_UNSIGNED_CHAR,
                                MPI_WCHAR,
                                MPI_SHORT,
                                MPI_UNSIGNED_SHORT,
                                MPI_INT,
                                MPI_UNSIGNED,
                                MPI_LONG,
                                MPI_UNSIGNED_LONG,
                                MPI_LONG_LONG,
                                MPI_UNSIGNED_LONG_LONG,
                                MPI_FLOAT,
                                MPI_DOUBLE,
                                MPI_C_BOOL,
                                MPI_INT8_T,
                                MPI_INT16_T,
                                MPI_INT32_T,
                                MPI_INT64_T,
                                MPI_UINT8_T,
                                MPI_UINT16_T,
                                MPI_UINT32_T,
                                MPI_UINT64_T,
                                MPI_AINT,
                                MPI_OFFSET,
                                MPI_COUNT,
                                MPI_C_FLOAT_COMPLEX,
                                MPI_C_DOUBLE_COMPLEX,
                                MPI_INTEGER,
                                MPI_REAL,
                                MPI_DOUBLE_PRECISION,
                                MPI_COMPLEX,
                                MPI_DOUBLE_COMPLEX,
                                MPI_LOGICAL,
                                MPI_CHARACTER,
                                MPI_2INTEGER};
  const allocated<unsigned char> made(4096);
  MPI_Win_lock_all(0, made.win);
  for (const MPI_Datatype type : types)
    for (const int count : {1, 2, 7, 100}) {
      int size = 0;
      MPI_Type_size(type, &size);
      std::vector<unsigned char> sent(static_cast<std::size_t>(size * count));
      std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(rank_in() + count));
      std::vector<unsigned char> back(sent.size(), 0xee);
      ok(MPI_Put(sent.data(), count, type, next_rank(), 3, count, type, made.win));
      ok(MPI_Win_flush(next_rank(), made.win));
      ok(MPI_Get(back.data(), count, type, next_rank(), 3, count, type, made.win));
      ok(MPI_Win_flush(next_rank(), made.win));
      expect(sent == back, "what was put of a predefined type comes back");
      // As bytes of one side, in whatever pieces.
      ok(MPI_Get(back.data(), size * count, MPI_BYTE, next_rank(), 3, count, type, made.win));
      ok(MPI_Win_flush_local(next_rank(), made.win));
      expect(sent == back, "and so it does as bytes");
    }
  MPI_Win_unlock_all(made.win);
});

const test_case sizes("transfers.every size", [] {
  constexpr MPI_Aint room = 4 << 20;
  const allocated<unsigned char> made(room + 64);
  std::vector<unsigned char> sent(static_cast<std::size_t>(room)), back(sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i)
    sent[i] = static_cast<unsigned char>(i * 7 + i / 251 + static_cast<std::size_t>(rank_in()));
  MPI_Win_lock(MPI_LOCK_SHARED, next_rank(), 0, made.win);
  for (int n = 1; n <= room; n = n < 70 ? n + 1 : n * 2 + 1) {
    const MPI_Aint at = n % 64;
    std::memset(back.data(), 0, static_cast<std::size_t>(n));
    ok(MPI_Put(sent.data(), n, MPI_BYTE, next_rank(), at, n, MPI_BYTE, made.win));
    ok(MPI_Win_flush(next_rank(), made.win));
    ok(MPI_Get(back.data(), n, MPI_BYTE, next_rank(), at, n, MPI_BYTE, made.win));
    ok(MPI_Win_flush_local(next_rank(), made.win));
    expect(std::memcmp(sent.data(), back.data(), static_cast<std::size_t>(n)) == 0,
           std::to_string(n) + " bytes come back");
  }
  MPI_Win_unlock(next_rank(), made.win);
});

const test_case nothing("transfers.zero counts and MPI_PROC_NULL", [] {
  const allocated<int> made(4);
  for (int i = 0; i < 4; ++i) made.at[i] = 5;
  int word = 9, back = 8;
  // Nobody is outside every epoch, and anything may be said of the memory there.
  ok(MPI_Put(&word, 1, MPI_INT, MPI_PROC_NULL, 1000, 1, MPI_INT, made.win));
  MPI_Win_fence(0, made.win);
  ok(MPI_Put(&word, 1, MPI_INT, MPI_PROC_NULL, 1000, 1, MPI_INT, made.win));
  ok(MPI_Get(&back, 1, MPI_INT, MPI_PROC_NULL, -1, 1, MPI_INT, made.win));
  ok(MPI_Accumulate(&word, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, made.win));
  ok(MPI_Get_accumulate(&word, 1, MPI_INT, &back, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM,
                        made.win));
  ok(MPI_Fetch_and_op(&word, &back, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, made.win));
  ok(MPI_Compare_and_swap(&word, &word, &back, MPI_INT, MPI_PROC_NULL, 0, made.win));
  ok(MPI_Put(nullptr, 0, MPI_INT, next_rank(), 0, 0, MPI_INT, made.win));
  ok(MPI_Put(&word, 0, MPI_INT, next_rank(), 4, 0, MPI_DOUBLE, made.win));
  ok(MPI_Get(nullptr, 0, MPI_BYTE, next_rank(), 0, 0, MPI_INT, made.win));
  ok(MPI_Accumulate(nullptr, 0, MPI_INT, next_rank(), 0, 0, MPI_INT, MPI_SUM, made.win));
  ok(MPI_Get_accumulate(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, next_rank(), 0, 0, MPI_INT,
                        MPI_SUM, made.win));
  MPI_Datatype empty = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  ok(MPI_Put(&word, 3, empty, next_rank(), 0, 2, empty, made.win));
  MPI_Type_free(&empty);
  MPI_Win_fence(0, made.win);
  same(back, 8, "the result of an operation with nobody");
  for (int i = 0; i < 4; ++i) same(made.at[i], 5, "a word that nobody has written");
});

const test_case absolute("transfers.MPI_BOTTOM", [] {
  const allocated<int> made(2);
  int here[2] = {rank_in() + 10, rank_in() + 20};
  int back[2] = {};
  const auto at_address = [](int* first, int* second) {
    MPI_Aint places[2] = {};
    MPI_Get_address(first, &places[0]);
    MPI_Get_address(second, &places[1]);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(2, 1, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
  };
  MPI_Datatype swapped = at_address(&here[1], &here[0]), result = at_address(&back[0], &back[1]);
  MPI_Win_fence(0, made.win);
  ok(MPI_Put(MPI_BOTTOM, 1, swapped, next_rank(), 0, 2, MPI_INT, made.win));
  MPI_Win_fence(0, made.win);
  same(made.at[0], last_rank() + 20, "the first word");
  same(made.at[1], last_rank() + 10, "the second word");
  MPI_Win_fence(0, made.win);
  ok(MPI_Get(MPI_BOTTOM, 1, result, rank_in(), 0, 2, MPI_INT, made.win));
  ok(MPI_Accumulate(MPI_BOTTOM, 1, swapped, next_rank(), 0, 2, MPI_INT, MPI_NO_OP, made.win));
  MPI_Win_fence(0, made.win);
  same(back[0], last_rank() + 20, "the first result");
  MPI_Win_fence(0, made.win);
  ok(MPI_Accumulate(MPI_BOTTOM, 1, swapped, next_rank(), 0, 2, MPI_INT, MPI_SUM, made.win));
  MPI_Win_fence(0, made.win);
  same(made.at[1], 2 * (last_rank() + 10), "the second sum");
  MPI_Type_free(&swapped);
  MPI_Type_free(&result);
});

#if MPI_VERSION >= 4
const test_case wide("transfers.large-count calls", [] {
  const allocated<double> made(16);
  const MPI_Count n = 5;
  double sent[5] = {1, 2, 3, 4, 5}, back[5] = {};
  MPI_Win_lock_all(0, made.win);
  ok(MPI_Put_c(sent, n, MPI_DOUBLE, next_rank(), 2, n, MPI_DOUBLE, made.win));
  ok(MPI_Win_flush(next_rank(), made.win));
  ok(MPI_Accumulate_c(sent, n, MPI_DOUBLE, next_rank(), 2, n, MPI_DOUBLE, MPI_SUM, made.win));
  MPI_Request requests[4];
  ok(MPI_Raccumulate_c(sent, n, MPI_DOUBLE, next_rank(), 2, n, MPI_DOUBLE, MPI_SUM, made.win,
                       &requests[0]));
  ok(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  ok(MPI_Get_accumulate_c(sent, n, MPI_DOUBLE, back, n, MPI_DOUBLE, next_rank(), 2, n, MPI_DOUBLE,
                          MPI_SUM, made.win));
  ok(MPI_Win_flush(next_rank(), made.win));
  same(back[4], 15.0, "the third sum");
  ok(MPI_Rput_c(sent, n, MPI_DOUBLE, next_rank(), 9, n, MPI_DOUBLE, made.win, &requests[0]));
  ok(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  ok(MPI_Win_flush(next_rank(), made.win));
  ok(MPI_Rget_c(back, n, MPI_DOUBLE, next_rank(), 2, n, MPI_DOUBLE, made.win, &requests[0]));
  ok(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  same(back[4], 20.0, "the fourth sum");
  ok(MPI_Rget_accumulate_c(sent, n, MPI_DOUBLE, back, n, MPI_DOUBLE, next_rank(), 9, n, MPI_DOUBLE,
                           MPI_NO_OP, made.win, &requests[0]));
  ok(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  same(back[4], 5.0, "what was put by request");
  ok(MPI_Get_c(back, n, MPI_DOUBLE, next_rank(), 9, n, MPI_DOUBLE, made.win));
  MPI_Win_unlock_all(made.win);
  same(back[0], 1.0, "what was put, got");
  double* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_allocate_c(80, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  MPI_Aint unit = 0, size = 0;
  void* there = nullptr;
  if (served()) {
    ok(MPI_Win_shared_query_c(win, rank_in(), &size, &unit, &there));
    same(size, 80, "the size");
    same(unit, 8, "the unit");
  }
  ok(MPI_Win_free(&win));
});
#endif

}  // namespace
}  // namespace oriel::mpi_test
