// Rows that have no twin among oriel's own: what MPI programs do and windows of T do in other ways.
// Measured with and without oriel preloaded.
#include "bench/peers/mpi_harness.hpp"

namespace bench {
namespace {

constexpr int tile = 256;    // rows and columns of doubles
constexpr int field = 1024;  // of the array that the tile lies in
constexpr std::size_t tile_bytes = sizeof(double) * tile * tile;

// A tile in the middle of a row-major array.
class tile_type {
 public:
  tile_type() {
    const int whole[] = {field, field}, part[] = {tile, tile}, first[] = {field / 4, field / 4};
    MPI_Type_create_subarray(2, whole, part, first, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
  }
  ~tile_type() { MPI_Type_free(&type); }
  tile_type(const tile_type&) = delete;
  tile_type& operator=(const tile_type&) = delete;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

void add_tiles(context& c, const char* name, bool tile_at_origin, bool exclusive) {
  mpi_window w(sizeof(double) * field * field);
  const page_buffer origin(sizeof(double) * field * field);
  std::fill_n(reinterpret_cast<double*>(origin.data()), field * field, 1.0);
  const tile_type part;
  const int t = c.target();
  if (!exclusive) MPI_Win_lock_all(0, w.win);
  const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
    if (c.all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      if (exclusive) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w.win);
      MPI_Accumulate(origin.data(), tile_at_origin ? 1 : tile * tile,
                     tile_at_origin ? part.type : MPI_DOUBLE, t, 0, 1, part.type, MPI_SUM, w.win);
      if (exclusive)
        MPI_Win_unlock(t, w.win);
      else
        MPI_Win_flush(t, w.win);
    }
  });
  if (!exclusive) MPI_Win_unlock_all(w.win);
  print_row(c.all, name, tile_bytes, ns);
}

void requested_put(context& c) {
  std::uint64_t value = 1;
  c.passive(
      "rput_wait",
      [&](MPI_Win w, MPI_Aint at) {
        MPI_Request made = MPI_REQUEST_NULL;
        MPI_Rput(&value, 1, MPI_UINT64_T, c.target(), at, 1, MPI_UINT64_T, w, &made);
        MPI_Wait(&made, MPI_STATUS_IGNORE);
      },
      context::no_flush);
}

}  // namespace

void more_rows(context& c, const arguments& a) {
  if (a.wants("rput_wait")) requested_put(c);
  if (a.wants("lock_shared_put_unlock"))
    c.lock_put_unlock("lock_shared_put_unlock", MPI_LOCK_SHARED);
  if (a.wants("tile_sum")) add_tiles(c, "tile_sum", false, false);
  if (a.wants("tile_sum_both")) add_tiles(c, "tile_sum_both", true, false);
  if (a.wants("tile_sum_locked")) add_tiles(c, "tile_sum_locked", false, true);
}

}  // namespace bench
