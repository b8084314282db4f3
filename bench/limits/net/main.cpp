// What this machine's network can do at best through libfabric: oriel's net rows, written against
// the provider itself, between processes that this one forks. No oriel, no MPI.
//
//   oriel-limits-net [--provider 'tcp;ofi_rxm'] [--case A,B] [--seconds S]
#include <unistd.h>

#include "bench/limits/net/rows.hpp"

namespace {

using namespace bench;
using namespace bench::net;

std::string provider_of(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--provider") == 0) return argv[i + 1];
  return "tcp;ofi_rxm";
}

// The exit status, in the first process; the others end here.
template <class Rows>
int among(int size, const std::string& provider, Rows rows) {
  int rank = 0, status = 1;
  try {
    processes all(size);
    rank = all.rank();
    try {
      endpoint e(provider, all);
      rows(all, e);
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
  const std::string provider = provider_of(argc, argv);
  const auto any_of = [&a](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&a](const char* n) { return a.wants(n); });
  };
  int status = 0;
  if (any_of({"net_put_flush", "net_get_flush", "net_put_stream", "net_put_1m", "net_get_1m",
              "net_round_trip"}))
    status = among(2, provider, [&a](processes& all, endpoint& e) {
      transfer_rows(all, e, a);
      round_trip_row(all, e, a);
    });
  if (status == 0 && any_of({"net_fence"}))
    status = among(4, provider, [&a](processes& all, endpoint& e) { fence_row(all, e, a); });
  return status;
}
