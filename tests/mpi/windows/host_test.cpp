// Windows that are left to the MPI library, by a hint or altogether; and which way oriel's go.
#include <string>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

const std::string of_host = "this window is the MPI library's own";

// Open MPI 4.1 makes no windows between hosts, over tcp, for MPI_THREAD_MULTIPLE.
bool host_has_windows() {
#ifdef OPEN_MPI
  return ranks_per_node() == 0;
#else
  return true;
#endif
}

const test_case left_to_host("host.the hint oriel", [] {
  if (!host_has_windows()) return;
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "oriel", "false");
  const allocated<int> made(2, MPI_COMM_WORLD, hints);
  MPI_Info_free(&hints);
  same(explanation(made.win), of_host, "where the window is");
  const int value = 1 + rank_in();
  [[maybe_unused]] int back = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank_in(), 0, made.win));
  ok(MPI_Put(&value, 1, MPI_INT, rank_in(), 1, 1, MPI_INT, made.win));
  ok(MPI_Win_flush(rank_in(), made.win));
  ok(MPI_Rget(&back, 1, MPI_INT, rank_in(), 1, 1, MPI_INT, made.win, &request));
  ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
  ok(MPI_Win_unlock(rank_in(), made.win));
  ok(MPI_Win_fence(0, made.win));
  ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
  ok(MPI_Win_fence(0, made.win));
  // MPICH 4.0 loses and mixes up what is put to its own windows, without oriel too.
#ifdef OPEN_MPI
  same(back, value, "the word that came back");
  same(made.at[0], 1 + last_rank(), "what the rank before has put");
#endif
});

// One rank that will not have oriel's window is enough.
const test_case left_by_one("host.the hint oriel, given by one rank", [] {
  if (!host_has_windows()) return;
  if (size_of() < 2) return;  // where Open MPI 4.1 has no dynamic windows
  for (const int who : {0, size_of() - 1}) {
    MPI_Info hints = MPI_INFO_NULL;
    if (rank_in() == who) {
      MPI_Info_create(&hints);
      MPI_Info_set(hints, "oriel", "false");
    }
    {
      const allocated<int> made(2, MPI_COMM_WORLD, hints);
      same(explanation(made.win), of_host, "where the window is");
      MPI_Win dynamic = MPI_WIN_NULL;
      ok(MPI_Win_create_dynamic(hints, MPI_COMM_WORLD, &dynamic));
      same(explanation(dynamic), of_host, "where the dynamic window is");
      ok(MPI_Win_free(&dynamic));
    }
    if (hints != MPI_INFO_NULL) MPI_Info_free(&hints);
  }
});

const test_case explained("host.where windows are without a hint", [] {
  const allocated<int> made(1);
  const std::string text = explanation(made.win);
  if (!served())
    same(text, of_host, "where the window is with ORIEL_MPI=off");
  else
    expect(text.find("assertions") != std::string::npos, "the window is oriel's: " + text);
});

const test_case routes("host.which way the windows of oriel go", [] {
  if (!served() || size_of() < 2) return;
  const allocated<int> made(1);
  const std::string text = explanation(made.win);
  same(text.find("fabric") != std::string::npos, !on_one_node(), "the fabric's part in " + text);
});

const test_case two_hosts("host.windows of ranks of two hosts", [] {
  const int per_node = ranks_per_node();
  if (!served() || per_node < 2 || size_of() != 2 * per_node) return;
  const int others = rank_in() < per_node ? per_node : 0;
  const std::string route = "fabric to rank " + std::to_string(others) + "-" +
                            std::to_string(others + per_node - 1) +
                            " (the rank is on another node)";
  const allocated<int> made(1);
  const std::string text = explanation(made.win);
  expect(text.find(route) != std::string::npos, "'" + route + "' is in " + text);
});

}  // namespace
}  // namespace oriel::mpi_test
