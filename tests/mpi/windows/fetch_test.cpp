// MPI_Fetch_and_op and MPI_Compare_and_swap: their results, and what they leave behind.
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

// A number of the type goes through every operation, on the next rank's last element.
template <class T>
void try_fetches(MPI_Datatype type, bool has_bits) {
  const allocated<T> made(3);
  made.at[2] = T{12};
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, next_rank(), 0, made.win);
  T now{12};
  const auto fetch = [&](MPI_Op op, T operand, T wanted, const char* name) {
    T before{};
    ok(MPI_Fetch_and_op(&operand, &before, type, next_rank(), 2, op, made.win));
    ok(MPI_Win_flush(next_rank(), made.win));
    expect(before == now, std::string("what ") + name + " has found");
    now = wanted;
  };
  fetch(MPI_SUM, T{5}, T{17}, "sum");
  fetch(MPI_PROD, T{3}, T{51}, "prod");
  fetch(MPI_MIN, T{50}, T{50}, "min");
  fetch(MPI_MAX, T{60}, T{60}, "max");
  if (has_bits) {
    fetch(MPI_BAND, T(44), T(60 & 44), "band");
    fetch(MPI_BOR, T(3), T((60 & 44) | 3), "bor");
    fetch(MPI_BXOR, T(5), T(((60 & 44) | 3) ^ 5), "bxor");
    fetch(MPI_LAND, T(9), T(1), "land");
    fetch(MPI_LOR, T(0), T(1), "lor");
    fetch(MPI_LXOR, T(1), T(0), "lxor");
  }
  fetch(MPI_REPLACE, T{77}, T{77}, "replace");
  T seen{};
  ok(MPI_Fetch_and_op(nullptr, &seen, type, next_rank(), 2, MPI_NO_OP, made.win));
  MPI_Win_unlock(next_rank(), made.win);
  expect(seen == T{77}, "what no_op has found");
  MPI_Barrier(MPI_COMM_WORLD);
  expect(made.at[2] == T{77} && made.at[1] == T{}, "what is left");
}

const test_case fetches("fetch.operations", [] {
  try_fetches<std::int8_t>(MPI_INT8_T, true);
  try_fetches<std::uint8_t>(MPI_UINT8_T, true);
  try_fetches<short>(MPI_SHORT, true);
  try_fetches<unsigned short>(MPI_UNSIGNED_SHORT, true);
  try_fetches<int>(MPI_INT, true);
  try_fetches<unsigned>(MPI_UNSIGNED, true);
  try_fetches<long>(MPI_LONG, true);
  try_fetches<unsigned long long>(MPI_UNSIGNED_LONG_LONG, true);
  try_fetches<float>(MPI_FLOAT, false);
  try_fetches<double>(MPI_DOUBLE, false);
  try_fetches<long double>(MPI_LONG_DOUBLE, false);
});

template <class T>
void try_swaps(MPI_Datatype type) {
  const allocated<T> made(2);
  made.at[1] = T{1};
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, made.win);
  const auto swap = [&](T expected, T desired, T found, const char* what) {
    T before{};
    ok(MPI_Compare_and_swap(&desired, &expected, &before, type, next_rank(), 1, made.win));
    ok(MPI_Win_flush(next_rank(), made.win));
    expect(before == found, std::string("what ") + what + " has found");
  };
  swap(T{0}, T(9), T{1}, "a swap that expects another");
  swap(T{1}, T{0}, T{1}, "a swap that expects it");
  swap(T{0}, T{1}, T{0}, "a swap back");
  MPI_Win_unlock_all(made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  expect(made.at[1] == T{1} && made.at[0] == T{}, "what is left");
}

// Their results come with the flush. Each swaps a word once in vain, and then in earnest.
const test_case many_swaps("fetch.many swaps before a flush", [] {
  constexpr int n = 2000;
  const allocated<long> made(n);
  for (int i = 0; i < n; ++i) made.at[i] = i;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, made.win);
  std::vector<long> in_vain(n, -1), found(n, -1);
  std::vector<long> expected(n + 1), desired(n);  // which stay as they are until the flush
  std::iota(expected.begin(), expected.end(), 0L);
  for (long i = 0; i < n; ++i) {
    desired[i] = 10 * i;
    ok(MPI_Compare_and_swap(&desired[i], &expected[i + 1], &in_vain[i], MPI_LONG, next_rank(), i,
                            made.win));
    ok(MPI_Compare_and_swap(&desired[i], &expected[i], &found[i], MPI_LONG, next_rank(), i,
                            made.win));
  }
  ok(MPI_Win_flush(next_rank(), made.win));
  for (long i = 0; i < n; ++i) expect(in_vain[i] == i && found[i] == i, "what a swap has found");
  MPI_Win_unlock_all(made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (long i = 0; i < n; ++i) expect(made.at[i] == 10 * i, "what is left");
});

const test_case swaps("fetch.compare and swap", [] {
  try_swaps<unsigned char>(MPI_BYTE);
  try_swaps<std::int8_t>(MPI_INT8_T);
  try_swaps<unsigned short>(MPI_UNSIGNED_SHORT);
  try_swaps<int>(MPI_INT);
  try_swaps<long long>(MPI_LONG_LONG);
  try_swaps<std::uint64_t>(MPI_UINT64_T);
  try_swaps<bool>(MPI_C_BOOL);
  try_swaps<MPI_Aint>(MPI_AINT);
});

}  // namespace
}  // namespace oriel::mpi_test
