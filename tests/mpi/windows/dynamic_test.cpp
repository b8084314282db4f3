// Windows made by MPI_Win_create_dynamic: memory comes and goes, displacements are addresses.
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

class dynamic {
 public:
  dynamic() {
    ok(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  }
  dynamic(const dynamic&) = delete;
  dynamic& operator=(const dynamic&) = delete;
  ~dynamic() { ok(MPI_Win_free(&win)); }
  MPI_Win win = MPI_WIN_NULL;
};

std::vector<MPI_Aint> addresses_of(const void* mine) {
  MPI_Aint here = 0;
  MPI_Get_address(mine, &here);
  std::vector<MPI_Aint> all(static_cast<std::size_t>(size_of()));
  MPI_Allgather(&here, 1, MPI_AINT, all.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  return all;
}

const test_case attached("dynamic.attach, use, detach", [] {
  const dynamic w;
  for (int round = 0; round < 5; ++round) {
    std::vector<int> memory(static_cast<std::size_t>(100 + 50 * round), -1);
    ok(MPI_Win_attach(w.win, memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int))));
    const auto at = addresses_of(memory.data());
    const int value = 10 * round + rank_in(), one = 1;
    const int next = next_rank();
    const MPI_Aint there = at[static_cast<std::size_t>(next)];
    int before = 0;
    MPI_Win_lock_all(0, w.win);
    ok(MPI_Put(&value, 1, MPI_INT, next, MPI_Aint_add(there, 4 * 7), 1, MPI_INT, w.win));
    ok(MPI_Win_flush(next, w.win));
    ok(MPI_Fetch_and_op(&one, &before, MPI_INT, next, MPI_Aint_add(there, 4 * 7), MPI_SUM, w.win));
    ok(MPI_Win_flush(next, w.win));
    same(before, value, "the word before");
    MPI_Win_unlock_all(w.win);
    MPI_Barrier(MPI_COMM_WORLD);
    same(memory[7], 10 * round + last_rank() + 1, "the word");
    same(memory[6], -1, "the word beside it");
    ok(MPI_Win_detach(w.win, memory.data()));
    MPI_Barrier(MPI_COMM_WORLD);
  }
});

const test_case many("dynamic.many pieces, of one rank only too", [] {
  const dynamic w;
  constexpr int pieces = 200;
  std::vector<std::vector<std::int64_t>> memory(pieces);
  std::vector<MPI_Aint> mine(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    memory[i].assign(1 + i % 13, 0);
    ok(MPI_Win_attach(w.win, memory[i].data(), static_cast<MPI_Aint>(memory[i].size() * 8)));
    MPI_Get_address(memory[i].data(), &mine[i]);
  }
  std::vector<MPI_Aint> theirs(pieces);
  MPI_Sendrecv(mine.data(), pieces, MPI_AINT, last_rank(), 0, theirs.data(), pieces, MPI_AINT,
               next_rank(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, w.win);
  std::vector<std::int64_t> values(pieces);  // which stay as they are until the fence
  std::iota(values.begin(), values.end(), std::int64_t{1});
  for (std::size_t i = 0; i < pieces; ++i) {
    ok(MPI_Put(&values[i], 1, MPI_INT64_T, next_rank(),
               MPI_Aint_add(theirs[i], static_cast<MPI_Aint>(8 * (i % 13))), 1, MPI_INT64_T,
               w.win));
  }
  MPI_Win_fence(0, w.win);
  for (std::size_t i = 0; i < pieces; ++i) {
    same(memory[i].back(), static_cast<std::int64_t>(i + 1), "a piece's last word");
    if (i % 3 != 0) ok(MPI_Win_detach(w.win, memory[i].data()));
  }
  for (std::size_t i = 0; i < pieces; i += 3) ok(MPI_Win_detach(w.win, memory[i].data()));
  MPI_Barrier(MPI_COMM_WORLD);
});

const test_case layout("dynamic.layouts at addresses", [] {
  const dynamic w;
  std::vector<double> memory(64, 0.0), mine(8);
  std::iota(mine.begin(), mine.end(), 1.0 + rank_in());
  ok(MPI_Win_attach(w.win, memory.data(), 64 * 8));
  const auto at = addresses_of(memory.data());
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Win_fence(0, w.win);
  const MPI_Aint there = at[static_cast<std::size_t>(next_rank())];
  ok(MPI_Put(mine.data(), 8, MPI_DOUBLE, next_rank(), there + 8, 1, column, w.win));
  ok(MPI_Accumulate(mine.data(), 8, MPI_DOUBLE, next_rank(), there + 16, 1, column, MPI_SUM,
                    w.win));
  MPI_Win_fence(0, w.win);
  for (std::size_t i = 0; i < 64; ++i) {
    const bool touched = i % 8 == 1 || i % 8 == 2;
    same(memory[i], touched ? 1.0 + last_rank() + static_cast<double>(i / 8) : 0.0, "a double");
  }
  MPI_Type_free(&column);
  ok(MPI_Win_detach(w.win, memory.data()));
});

// Private memory: the kernel copies it where it may.
const test_case large("dynamic.large transfers at odd addresses", [] {
  const dynamic w;
  constexpr int bytes = 1'000'001;
  std::vector<char> memory(bytes + 2, 'a'), mine(bytes, static_cast<char>('b' + rank_in())),
      got(bytes);
  ok(MPI_Win_attach(w.win, memory.data(), bytes + 2));
  const auto at = addresses_of(memory.data());
  const MPI_Aint there = at[static_cast<std::size_t>(next_rank())] + 1;
  MPI_Win_lock_all(0, w.win);
  ok(MPI_Put(mine.data(), bytes, MPI_CHAR, next_rank(), there, bytes, MPI_CHAR, w.win));
  ok(MPI_Win_flush(next_rank(), w.win));
  ok(MPI_Get(got.data(), bytes, MPI_CHAR, next_rank(), there, bytes, MPI_CHAR, w.win));
  MPI_Win_unlock_all(w.win);
  expect(got == mine, "what was put comes back");
  MPI_Barrier(MPI_COMM_WORLD);
  const char theirs = static_cast<char>('b' + last_rank());
  expect(memory[0] == 'a' && memory[1] == theirs && memory[bytes] == theirs &&
             memory[bytes + 1] == 'a',
         "exactly what was put arrives");
  if (served() && on_one_node() && size_of() > 1)
    expect(explanation(w.win).find("kernel") != std::string::npos, "the route names the kernel");
  ok(MPI_Win_detach(w.win, memory.data()));
});

const test_case refusals("dynamic.errors", [] {
  if (!served()) return;
  const dynamic w;
  int memory[4] = {}, value = 1;
  refused(MPI_Win_detach(w.win, memory), MPI_ERR_RMA_ATTACH, "a detach of what is not attached");
  refused(MPI_Win_attach(w.win, memory, -1), MPI_ERR_SIZE, "an attach of a negative size");
  const auto at = addresses_of(memory);
  const MPI_Aint there = at[static_cast<std::size_t>(next_rank())];
  MPI_Win_lock_all(0, w.win);
  int code = MPI_Put(&value, 1, MPI_INT, next_rank(), there, 1, MPI_INT, w.win);
  if (code == MPI_SUCCESS) code = MPI_Win_flush(next_rank(), w.win);
  refused(code, MPI_ERR_RMA_RANGE, "a put where nothing is attached");
  MPI_Win_unlock_all(w.win);
  ok(MPI_Win_attach(w.win, nullptr, 0));
  ok(MPI_Win_detach(w.win, nullptr));
  // A window of another flavor.
  const allocated<int> made(1);
  refused(MPI_Win_attach(made.win, memory, 16), MPI_ERR_RMA_FLAVOR,
          "an attach to an allocated one");
  MPI_Barrier(MPI_COMM_WORLD);
});

}  // namespace
}  // namespace oriel::mpi_test
