#include <cstdio>

#include "bench/rows/rows.hpp"

int main(int argc, char** argv) {
  try {
    // As the MPI twin, which MPI_Init starts at one thread.
    oriel::session job{argc, argv, {.threads = oriel::thread_level::single}};
    const bench::arguments a(argc, argv);
    bench::oriel_party all(job);
    if (a.net) {
      bench::net_rows(all, a);
      return 0;
    }
    if (all.size() <= 2) {
      bench::small_rows(all, a);
      bench::promise_rows(all, a);
      bench::large_rows(all, a);
      bench::memory_rows(all, a);
      bench::list_rows(all, a);
      bench::hash_rows(all, a);
      bench::hash_map_rows(all, a);
    }
    bench::epoch_rows(all, a);
    if (all.size() == 4) bench::contended_rows(all, a);
    bench::construct_rows(all, a);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "oriel-bench-rows: %s\n", e.what());
    return 1;
  }
}
