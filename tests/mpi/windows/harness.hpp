// The tests of MPI's windows are an MPI program that knows nothing of oriel: it is compiled for
// each MPI, and the face is preloaded. All ranks run every case together; a case has failed when it
// has on any rank.
#pragma once

#include <mpi.h>

#include <source_location>
#include <sstream>
#include <string>
#include <vector>

namespace oriel::mpi_test {

using place = std::source_location;

// A case, by the name that the first argument of the program may select.
struct test_case {
  test_case(const char* name, void (*run)());
};

// Says on standard error what is wrong, and where; the case goes on, so that ranks stay together.
void fail(const std::string& what, place at);

inline void expect(bool right, const std::string& what, place at = place::current()) {
  if (!right) fail(what, at);
}
template <class A, class B>
void same(const A& got, const B& wanted, const std::string& what, place at = place::current()) {
  if (got == wanted) return;
  std::ostringstream text;
  text << what << " is " << got << " instead of " << wanted;
  fail(text.str(), at);
}

// Whether a call that was given to it has succeeded.
inline void ok(int code, place at = place::current()) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(std::string("a call returns ") + text, at);
}
// Whether it has failed as it should.
inline void refused(int code, int error_class, const std::string& what,
                    place at = place::current()) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  same(found, error_class, "the class of the error of " + what, at);
}

// Whether the face is preloaded and in use; some answers are better then than the host's own.
bool served();
// Whether ranks share memory, that is, the job does not run on several nodes, pretended or not.
bool on_one_node();
// As ORIEL_TEST_RANKS_PER_NODE says, which jobs on several hosts have; 0 in others.
int ranks_per_node();
// Of MPIX_Win_explain; empty where the face is not there.
std::string explanation(MPI_Win);

inline int rank_in(MPI_Comm comm = MPI_COMM_WORLD) {
  int r = 0;
  MPI_Comm_rank(comm, &r);
  return r;
}
inline int size_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int n = 0;
  MPI_Comm_size(comm, &n);
  return n;
}
inline int next_rank() {
  return (rank_in() + 1) % size_of();
}
inline int last_rank() {
  return (rank_in() + size_of() - 1) % size_of();
}
// Processes of MPI_COMM_WORLD.
class group {
 public:
  explicit group(const std::vector<int>& ranks);
  group(const group&) = delete;
  group& operator=(const group&) = delete;
  ~group() { MPI_Group_free(&handle); }
  MPI_Group handle = MPI_GROUP_NULL;
};

// A window of `n` elements that MPI_Win_allocate makes, with errors returned; freed by all
// together.
template <class T>
class allocated {
 public:
  explicit allocated(MPI_Aint n, MPI_Comm comm = MPI_COMM_WORLD, MPI_Info hints = MPI_INFO_NULL) {
    ok(MPI_Win_allocate(n * static_cast<MPI_Aint>(sizeof(T)), sizeof(T), hints, comm, &at, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (MPI_Aint i = 0; i < n; ++i) at[i] = T{};
    MPI_Barrier(comm);
  }
  allocated(const allocated&) = delete;
  allocated& operator=(const allocated&) = delete;
  ~allocated() { ok(MPI_Win_free(&win)); }

  T* at = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

}  // namespace oriel::mpi_test
