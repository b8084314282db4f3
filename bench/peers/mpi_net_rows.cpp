// The MPI twin of oriel's net rows, for ranks that the MPI is configured to treat as on different
// nodes.
#include "bench/peers/mpi_harness.hpp"

namespace bench {

namespace {

void layout_rows(context& c, const arguments& a) {
  const page_buffer memory(net_matrix);
  void* const here = memory.data();
  const int t = c.target();
  constexpr int side = net_tile_side;
  MPI_Datatype tile, sixteenths;
  MPI_Type_vector(side, side, 2 * side, MPI_DOUBLE, &tile);
  MPI_Type_vector(net_picked, 1, net_apart, MPI_DOUBLE, &sixteenths);
  for (MPI_Datatype* d : {&tile, &sixteenths}) MPI_Type_commit(d);
  const auto row = [&](const char* name, std::size_t bytes, auto op) {
    if (a.wants(name)) c.passive(name, op, 1, bytes, net_matrix);
  };
  constexpr std::size_t tile_bytes = net_matrix / 2, picked_bytes = net_picked * 8;
  const auto put = [=](MPI_Datatype d) {
    return [=](MPI_Win w, MPI_Aint) { MPI_Put(here, 1, d, t, 0, 1, d, w); };
  };
  const auto get = [=](MPI_Datatype d) {
    return [=](MPI_Win w, MPI_Aint) { MPI_Get(here, 1, d, t, 0, 1, d, w); };
  };
  row("net_put_tile", tile_bytes, put(tile));
  row("net_get_tile", tile_bytes, get(tile));
  row("net_add_tile", tile_bytes,
      [=](MPI_Win w, MPI_Aint) { MPI_Accumulate(here, 1, tile, t, 0, 1, tile, MPI_SUM, w); });
  row("net_put_16th", picked_bytes, put(sixteenths));
  row("net_get_16th", picked_bytes, get(sixteenths));
  for (MPI_Datatype* d : {&tile, &sixteenths}) MPI_Type_free(d);
}

}  // namespace

void net_rows(context& c, const arguments& a) {
  if (c.all.size() > 2) {
    if (a.wants("net_fence")) c.fence("net_fence");
    return;
  }
  std::uint64_t expected = 1, result = 0;
  const int t = c.target();
  const page_buffer buffer(net_transfer);
  constexpr int mega = net_transfer;
  const auto row = [&](const char* name, auto op, long flush_after = 1, std::size_t bytes = 8) {
    if (a.wants(name)) c.passive(name, op, flush_after, bytes);
  };
  const auto put = [&](MPI_Win w, MPI_Aint at) { c.put(w, at); };
  row("net_put_flush", put);
  row("net_get_flush", [&](MPI_Win w, MPI_Aint at) {
    MPI_Get(&result, 1, MPI_UINT64_T, t, at, 1, MPI_UINT64_T, w);
  });
  row("net_put_stream", put, puts_a_stream);
  row(
      "net_put_1m",
      [&](MPI_Win w, MPI_Aint) { MPI_Put(buffer.data(), mega, MPI_BYTE, t, 0, mega, MPI_BYTE, w); },
      1, net_transfer);
  row(
      "net_get_1m",
      [&](MPI_Win w, MPI_Aint) { MPI_Get(buffer.data(), mega, MPI_BYTE, t, 0, mega, MPI_BYTE, w); },
      1, net_transfer);
  layout_rows(c, a);
  row("net_fetch_add", [&](MPI_Win w, MPI_Aint at) {
    MPI_Fetch_and_op(&c.value, &result, MPI_UINT64_T, t, at, MPI_SUM, w);
  });
  row("net_cas", [&](MPI_Win w, MPI_Aint at) {
    MPI_Compare_and_swap(&c.value, &expected, &result, MPI_UINT64_T, t, at, w);
  });
  row("net_accumulate", [&](MPI_Win w, MPI_Aint at) {
    MPI_Accumulate(&c.value, 1, MPI_UINT64_T, t, at, 1, MPI_UINT64_T, MPI_SUM, w);
  });
  if (a.wants("net_lock_put_unlock")) c.lock_put_unlock("net_lock_put_unlock");
}

}  // namespace bench
