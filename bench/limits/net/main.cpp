// What this machine's network can do at best: oriel's net rows, written against a provider of
// libfabric itself, or sockets, between processes that this one forks. No oriel, no MPI.
//
//   oriel-limits-net [--provider 'tcp;ofi_rxm'] [--ranks P] [--case A,B] [--seconds S]
//
// P processes (2) measure net_round_trip, in pairs; of the others the number is their own.
#include <unistd.h>

#include "bench/limits/net/rows.hpp"

namespace {

using namespace bench;
using namespace bench::net;

std::string option(int argc, char** argv, const char* name, const char* otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

// The exit status, in the first process; the others end here.
template <class Rows>
int among(int size, Rows rows) {
  int rank = 0, status = 1;
  try {
    processes all(size);
    rank = all.rank();
    try {
      rows(all);
      all.barrier();
      status = 0;
    } catch (const other_ended&) {
      // It has said why.
    } catch (const std::exception& e) {
      std::fprintf(stderr, "oriel-limits-net: %s\n", e.what());
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "oriel-limits-net: %s\n", e.what());
  }
  if (rank != 0) _exit(status);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const arguments a(argc, argv);
  const std::string provider = option(argc, argv, "--provider", "tcp;ofi_rxm");
  const int ranks = std::max(2, std::atoi(option(argc, argv, "--ranks", "2").c_str()) / 2 * 2);
  int status = 0;
  if (a.wants_any({"net_put_flush", "net_get_flush", "net_put_stream", "net_put_1m", "net_get_1m"}))
    status = among(2, [&](processes& all) {
      endpoint e(provider, all);
      transfer_rows(all, e, a);
    });
  if (status == 0 && a.wants("net_round_trip"))
    status = among(ranks, [&](processes& all) {
      endpoint e(provider, all);
      round_trip_row(all, e, a);
    });
  if (status == 0 &&
      a.wants_any({"net_far_put", "net_far_accumulate", "net_far_get_nbi", "net_far_fetch_add_nbi",
                   "net_far_swap_nbi", "net_list_histogram", "net_list_gather", "net_list_swap",
                   "net_list_permutation", "net_map_insert", "net_map_fetch_add", "net_map_find",
                   "net_put_tile", "net_get_tile", "net_add_tile", "net_put_16th", "net_get_16th"}))
    status = among(2, [&](processes& all) {
      element_rows(all, a);
      layout_rows(all, a);
    });
  if (status == 0 && a.wants("net_fence"))
    status = among(4, [&](processes& all) {
      endpoint e(provider, all);
      fence_row(all, e, a);
    });
  return status;
}
