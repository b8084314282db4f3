// dead_peer test|request: the last rank dies while rank 0 tests, without ever waiting, whether it
// has done its part. Rank 0 prints the error and ends without MPI_Finalize, which may not
// end any more. Run with a launcher that lets the others live.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

namespace {

constexpr unsigned most_seconds = 40;  // a test that never ends is ended by its alarm
int raised = 0;                        // errors with which the window's handler was called

void hear(MPI_Win*, int*, ...) {
  ++raised;
}

[[noreturn]] void say(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::printf("rank 0: %s %s, and its handler has heard %d\n", what,
              code == MPI_SUCCESS ? "no error" : "an error", raised);
  std::fflush(stdout);
  _exit(0);
}

void ask_the_window(MPI_Win win, int me, int victim) {
  MPI_Group world = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int peer = me == 0 ? victim : 0;
  MPI_Group_incl(world, 1, &peer, &other);
  if (me == 0) MPI_Win_post(other, 0, win);
  if (me == victim) {
    MPI_Win_start(other, 0, win);
    raise(SIGKILL);
  }
  int done = 0, code = MPI_SUCCESS;
  while (done == 0 && code == MPI_SUCCESS) code = MPI_Win_test(win, &done);
  say("MPI_Win_test has told", code);
}

// The victim is stopped first, so that the operation is under way for certain.
void ask_a_request(MPI_Win win, int me, int victim) {
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == victim) {
    const pid_t self = getpid();
    if (fork() == 0) {
      usleep(500'000);
      kill(self, SIGKILL);
      _exit(0);
    }
    raise(SIGSTOP);
  }
  usleep(200'000);
  const int one = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Raccumulate(&one, 1, MPI_INT, victim, 0, 1, MPI_INT, MPI_SUM, win, &request);
  int done = 0, code = MPI_SUCCESS;
  while (done == 0 && code == MPI_SUCCESS) code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  say("MPI_Test has told", code);
}

}  // namespace

int main(int argc, char** argv) {
  alarm(most_seconds);
  signal(SIGUSR1, SIG_IGN);  // by which MPICH's launcher reports a death
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int me = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(hear, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && std::strcmp(argv[1], "request") == 0)
    ask_a_request(win, me, ranks - 1);
  else
    ask_the_window(win, me, ranks - 1);
}
