// An MPI program that lends its allgather to oriel, whichever MPI it is, twice in a row.
#include <mpi.h>
#include <oriel/oriel.hpp>

#include <cstdio>

namespace {

oriel::status over_mpi(const void* mine, std::size_t bytes, void* all) {
  const int n = static_cast<int>(bytes);
  const int result = MPI_Allgather(mine, n, MPI_BYTE, all, n, MPI_BYTE, MPI_COMM_WORLD);
  return result == MPI_SUCCESS ? oriel::errc::success : oriel::errc::peer_failed;
}

// Whether a put to the next rank arrives.
bool visited(const oriel::session_options& options, int rank, int size) {
  using namespace oriel;
  session job(options);
  const team world = job.world();
  if (world.me().value != rank || world.size() != size) return false;
  auto w = window<int, assertion::fence | assertion::local_load_store>::allocate(world, 1);
  w.fence().or_throw();
  w.put(world.next(), disp{0}, rank).or_throw();
  w.fence().or_throw();
  return w.local()[0] == world.previous().value;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  oriel::bootstrap_callbacks mpi;
  MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &mpi.size);
  mpi.allgather = over_mpi;
  oriel::session_options options;
  options.bootstrap = mpi;
  int good = 0;
  for (int i = 0; i < 2; ++i) good += visited(options, mpi.rank, mpi.size) ? 1 : 0;
  std::printf("rank %d of %d: %d sessions\n", mpi.rank, mpi.size, good);
  MPI_Finalize();
  return good == 2 ? 0 : 1;
}
