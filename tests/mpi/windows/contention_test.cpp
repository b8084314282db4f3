// Accumulates of all ranks to the same elements, none of which may be lost or torn.
#include <cstdint>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

int rounds() {
  return on_one_node() && size_of() < 3 ? 2000 : 100;
}

template <class T>
void try_sum(MPI_Datatype type, MPI_Aint count) {
  const allocated<T> made(count);
  std::vector<T> ones(static_cast<std::size_t>(count), T{1}), before(ones.size());
  MPI_Win_lock_all(0, made.win);
  for (int i = 0; i < rounds(); ++i) {
    const int n = static_cast<int>(count);
    if (i % 3 == 0)
      MPI_Accumulate(ones.data(), n, type, 0, 0, n, type, MPI_SUM, made.win);
    else if (i % 3 == 1)
      MPI_Get_accumulate(ones.data(), n, type, before.data(), n, type, 0, 0, n, type, MPI_SUM,
                         made.win);
    else
      for (int e = 0; e < n; ++e)
        MPI_Fetch_and_op(ones.data(), before.data() + e, type, 0, e, MPI_SUM, made.win);
    if (i % 64 == 0) MPI_Win_flush(0, made.win);
  }
  MPI_Win_unlock_all(made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (MPI_Aint e = 0; rank_in() == 0 && e < count; ++e)
    expect(made.at[e] == static_cast<T>(static_cast<unsigned>(rounds() * size_of())),
           "element " + std::to_string(e) + " has all of what was added");
}

const test_case sums("contention.sums", [] {
  try_sum<int>(MPI_INT, 1);
  try_sum<int>(MPI_INT, 9);
  try_sum<double>(MPI_DOUBLE, 3);
  try_sum<std::uint8_t>(MPI_UINT8_T, 4);
  try_sum<long double>(MPI_LONG_DOUBLE, 2);
  // Long enough to go by plain loops, which the single ones beside them must not meet.
  try_sum<int>(MPI_INT, 60);
  try_sum<double>(MPI_DOUBLE, 40);
  try_sum<long double>(MPI_LONG_DOUBLE, 40);
});

const test_case swaps("contention.a counter by compare and swap", [] {
  const allocated<long> made(1);
  MPI_Win_lock_all(0, made.win);
  for (int i = 0; i < rounds() / 4; ++i) {
    long seen = 0, found = -1;
    while (true) {
      const long desired = seen + 1;
      MPI_Compare_and_swap(&desired, &seen, &found, MPI_LONG, 0, 0, made.win);
      MPI_Win_flush(0, made.win);
      if (found == seen) break;
      seen = found;
    }
  }
  MPI_Win_unlock_all(made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_in() == 0) same(made.at[0], long{rounds() / 4} * size_of(), "the counter");
});

const test_case tickets("contention.every ticket is drawn once", [] {
  const int mine = rounds() / 2;
  const allocated<int> made(1), drawn(static_cast<MPI_Aint>(mine) * size_of());
  MPI_Win_lock_all(0, made.win);
  MPI_Win_lock_all(0, drawn.win);
  for (int i = 0; i < mine; ++i) {
    const int one = 1;
    int ticket = -1;
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, made.win);
    MPI_Win_flush(0, made.win);
    ok(MPI_Accumulate(&one, 1, MPI_INT, 0, ticket, 1, MPI_INT, MPI_SUM, drawn.win));
  }
  MPI_Win_unlock_all(drawn.win);
  MPI_Win_unlock_all(made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int t = 0; rank_in() == 0 && t < mine * size_of(); ++t)
    same(drawn.at[t], 1, "how often ticket " + std::to_string(t) + " was drawn");
});

const test_case locations("contention.the largest and its place", [] {
  struct pair {
    double value = -1;
    int index = -1;
  };
  const allocated<pair> made(1);
  MPI_Win_fence(0, made.win);
  std::vector<pair> all(50);  // sources stay as they are until the fence
  for (int i = 0; i < 50; ++i) {
    pair& mine = all[static_cast<std::size_t>(i)];
    mine.value = (i * 7 + rank_in() * 3) % 101;
    mine.index = i * size_of() + rank_in();
    ok(MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, made.win));
  }
  MPI_Win_fence(0, made.win);
  double largest = -1;
  int place = 0;
  for (int i = 0; i < 50; ++i)
    for (int r = 0; r < size_of(); ++r)
      if (const double value = (i * 7 + r * 3) % 101; value > largest) {
        largest = value;
        place = i * size_of() + r;
      }
  if (rank_in() != 0) return;
  same(made.at[0].value, largest, "the largest");
  same(made.at[0].index, place, "its first place");
});

}  // namespace
}  // namespace oriel::mpi_test
