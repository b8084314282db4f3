#include "tests/mpi/windows/harness.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace oriel::mpi_test {
namespace {

struct entry {
  const char* name;
  void (*run)();
};

std::vector<entry>& entries() {
  static std::vector<entry> all;
  return all;
}

std::atomic<int> failures{0};  // of the running case, on this rank
constexpr int most_told = 8;
constexpr unsigned most_seconds = 60;  // of one case; SIGALRM ends the process, and so the job

// Whether the case has failed on any rank. A rank that hangs elsewhere is ended by its alarm.
bool failed_anywhere() {
  int mine = failures.exchange(0), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all != 0;
}

int run_all(const char* wanted) {
  int failed = 0, run = 0;
  for (const entry& one : entries()) {
    if (std::strstr(one.name, wanted) == nullptr) continue;
    if (rank_in() == 0) std::fprintf(stderr, "[ RUN ] %s\n", one.name);
    const double begun = MPI_Wtime();
    alarm(most_seconds);
    one.run();
    const bool bad = failed_anywhere();
    alarm(0);
    if (rank_in() == 0)
      std::fprintf(stderr, "[ %s ] %s (%.0f ms)\n", bad ? "BAD" : "OK ", one.name,
                   1e3 * (MPI_Wtime() - begun));
    failed += bad ? 1 : 0;
    ++run;
  }
  if (rank_in() == 0) std::fprintf(stderr, "%d cases, %d failed\n", run, failed);
  return run == 0 || failed != 0 ? 1 : 0;
}

}  // namespace

test_case::test_case(const char* name, void (*run)()) {
  entries().push_back({name, run});
}

void fail(const std::string& what, place at) {
  if (failures.fetch_add(1) < most_told)
    std::fprintf(stderr, "%s:%u: rank %d: %s\n", at.file_name(), static_cast<unsigned>(at.line()),
                 rank_in(), what.c_str());
}

bool served() {
  const char* const face = std::getenv("ORIEL_MPI");
  return dlsym(RTLD_DEFAULT, "MPIX_Win_explain") != nullptr &&
         (face == nullptr || std::strcmp(face, "off") != 0);
}

bool on_one_node() {
  return std::getenv("ORIEL_NODE_ID") == nullptr && ranks_per_node() == 0;
}

int ranks_per_node() {
  const char* const text = std::getenv("ORIEL_TEST_RANKS_PER_NODE");
  return text == nullptr ? 0 : std::atoi(text);
}

std::string explanation(MPI_Win win) {
  using function = int (*)(MPI_Win, int, char*, int*);
  const auto ask = reinterpret_cast<function>(dlsym(RTLD_DEFAULT, "MPIX_Win_explain"));
  if (ask == nullptr) return "";
  int length = 0;
  ask(win, 0, nullptr, &length);
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  ask(win, length + 1, text.data(), &length);
  text.pop_back();
  return text;
}

group::group(const std::vector<int>& ranks) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &handle);
  MPI_Group_free(&world);
}

// What hangs from MPI_COMM_SELF is deleted first by the host's MPI_Finalize: after the face has
// closed.
void tell_when_the_host_finalizes() {
  int key = MPI_KEYVAL_INVALID;
  const auto tell = [](MPI_Comm, int, void*, void*) {
    std::puts("left to the host to finalize");
    std::fflush(stdout);
    return static_cast<int>(MPI_SUCCESS);
  };
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);
}

}  // namespace oriel::mpi_test

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  const bool one_thread = std::getenv("ORIEL_TEST_ONE_THREAD") != nullptr;
  MPI_Init_thread(&argc, &argv, one_thread ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int failed = oriel::mpi_test::run_all(argc > 1 ? argv[1] : "");
  oriel::mpi_test::tell_when_the_host_finalizes();
  MPI_Finalize();
  return failed;
}
