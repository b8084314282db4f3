// The MPI twin of bench/rows: the same cases through MPI RMA on MPI_Win_allocate; and, of MPI
// alone, on memory that the program had before. Built once for each MPI that is installed.
#include "bench/peers/mpi_harness.hpp"

namespace {

using bench::context;
using bench::keep;
using bench::mpi_window;
using bench::nanoseconds_each;
using bench::print_row;
using bench::walked;

// Names begin with `kind`: the rows of MPI_Win_allocate with nothing.
template <class Window>
void small_rows(context& c, const bench::arguments& a, const std::string& kind) {
  std::uint64_t value = 1, expected = 1, result = 0;
  const int t = c.target();
  const auto row = [&](const char* name, auto op, long flush_after = 1) {
    if (a.wants(kind + name)) c.passive<Window>(kind + name, op, flush_after);
  };
  const auto put = [&](MPI_Win w, MPI_Aint at) { c.put(w, at); };
  row("put_flush", put);
  row("put_rate", put, 1024);
  row("get_flush", [&](MPI_Win w, MPI_Aint at) {
    MPI_Get(&result, 1, MPI_UINT64_T, t, at, 1, MPI_UINT64_T, w);
  });
  row("fetch_add", [&](MPI_Win w, MPI_Aint at) {
    MPI_Fetch_and_op(&value, &result, MPI_UINT64_T, t, at, MPI_SUM, w);
  });
  row("compare_swap", [&](MPI_Win w, MPI_Aint at) {
    MPI_Compare_and_swap(&value, &expected, &result, MPI_UINT64_T, t, at, w);
  });
  row("accumulate", [&](MPI_Win w, MPI_Aint at) {
    MPI_Accumulate(&value, 1, MPI_UINT64_T, t, at, 1, MPI_UINT64_T, MPI_SUM, w);
  });
}

template <class Window>
void active_rows(context& c, const bench::arguments& a, const std::string& kind) {
  const std::string fence = kind + (c.all.size() > 2 ? "fence4" : "fence");
  if (a.wants(fence)) c.fence<Window>(fence);
  if (a.wants(kind + "pscw") && c.all.size() == 2) c.pscw<Window>(kind + "pscw");
}

// A window of one page, made and freed by all ranks.
void construction_rows(context& c, const bench::arguments& a) {
  constexpr MPI_Aint bytes = 4096;
  const bench::page_buffer memory(bytes);
  MPI_Win win = MPI_WIN_NULL;
  const auto row = [&](const char* name, auto make) {
    if (!a.wants(name)) return;
    const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        make();
        MPI_Win_free(&win);
      }
    });
    print_row(c.all, name, bytes, ns);
  };
  row("create_free",
      [&] { MPI_Win_create(memory.data(), bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win); });
  row("dynamic_free", [&] { MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win); });
}

// Contiguous sums, in an epoch that other ranks' atomics may share.
template <class Window>
void accumulate_rows(context& c, const bench::arguments& a, const std::string& kind) {
  struct element {
    const char* row;
    MPI_Datatype type;
    std::size_t bytes;
  };
  for (const element& e : {element{"sum_char", MPI_SIGNED_CHAR, 1},
                           {"sum_int", MPI_INT, 4},
                           {"sum_double", MPI_DOUBLE, 8}})
    for (const std::size_t bytes : bench::sum_sizes) {
      if (!a.wants(kind + e.row)) continue;
      const bench::page_buffer origin(bytes);
      std::memset(origin.data(), 0, bytes);
      const int n = static_cast<int>(bytes / e.bytes);
      c.passive<Window>(
          kind + e.row,
          [&](MPI_Win w, MPI_Aint) {
            MPI_Accumulate(origin.data(), n, e.type, c.target(), 0, n, e.type, MPI_SUM, w);
          },
          1, bytes);
    }
}

// Every second of doubles that the program had before, from or to a dense buffer.
void strided_rows(context& c, const bench::arguments& a) {
  constexpr int n = 4096;
  constexpr std::size_t bytes = n * sizeof(double);
  const bench::page_buffer dense(bytes);
  std::memset(dense.data(), 0, bytes);
  MPI_Datatype every_second = MPI_DATATYPE_NULL;
  MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &every_second);
  MPI_Type_commit(&every_second);
  const auto row = [&](const char* name, auto op) {
    if (a.wants(name)) c.passive<bench::created_window>(name, op, 1, 2 * bytes);
  };
  const int t = c.target();
  row("create_strided_put",
      [&](MPI_Win w, MPI_Aint) { MPI_Put(dense.data(), n, MPI_DOUBLE, t, 0, 1, every_second, w); });
  row("create_strided_get",
      [&](MPI_Win w, MPI_Aint) { MPI_Get(dense.data(), n, MPI_DOUBLE, t, 0, 1, every_second, w); });
  row("create_strided_sum", [&](MPI_Win w, MPI_Aint) {
    MPI_Accumulate(dense.data(), n, MPI_DOUBLE, t, 0, 1, every_second, MPI_SUM, w);
  });
  MPI_Type_free(&every_second);
}

void large_rows(context& c, const bench::arguments& a) {
  const int t = c.target();
  for (const bool is_put : {true, false}) {
    const char* const name = is_put ? "put_bw" : "get_bw";
    if (!a.wants(name)) continue;
    std::vector<std::size_t> sizes{1u << 10};
    sizes.insert(sizes.end(), bench::transfer_sizes.begin(), bench::transfer_sizes.end());
    for (const std::size_t bytes : sizes) {
      mpi_window w(bytes);
      const bench::page_buffer buffer(bytes);
      const int count = static_cast<int>(bytes);
      MPI_Win_lock_all(0, w.win);
      const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
        if (c.all.rank() != 0) return;
        for (long i = 0; i < n; ++i) {
          if (is_put)
            MPI_Put(buffer.data(), count, MPI_BYTE, t, 0, count, MPI_BYTE, w.win);
          else
            MPI_Get(buffer.data(), count, MPI_BYTE, t, 0, count, MPI_BYTE, w.win);
          if (i % bench::transfers_a_flush == 0) MPI_Win_flush(t, w.win);
        }
        MPI_Win_flush(t, w.win);
      });
      MPI_Win_unlock_all(w.win);
      print_row(c.all, name, bytes, ns);
    }
  }
  if (a.wants("acc_1m")) {
    constexpr int n_elements = 1 << 20;
    mpi_window w(n_elements * 8);
    std::vector<double> values(n_elements, 1.0);
    const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
      if (c.all.rank() != 0) return;
      for (long i = 0; i < n; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w.win);
        MPI_Accumulate(values.data(), n_elements, MPI_DOUBLE, t, 0, n_elements, MPI_DOUBLE, MPI_SUM,
                       w.win);
        MPI_Win_unlock(t, w.win);
      }
    });
    print_row(c.all, "acc_1m", n_elements * 8ul, ns);
  }
}

// Every rank at once, on rank 0's memory.
void contended_rows(context& c, const bench::arguments& a) {
  std::uint64_t one = 1, result = 0;
  if (a.wants("lock_contention4")) {
    mpi_window w(walked * 8);
    const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win);
        MPI_Get(&result, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, w.win);
        MPI_Win_flush(0, w.win);
        ++result;
        MPI_Put(&result, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, w.win);
        MPI_Win_unlock(0, w.win);
      }
      c.all.barrier();
    });
    print_row(c.all, "lock_contention4", 8, ns / c.all.size());
  }
  if (a.wants("fetch_add4")) {
    mpi_window w(walked * 8);
    MPI_Win_lock_all(0, w.win);
    const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        MPI_Fetch_and_op(&one, &result, MPI_UINT64_T, 0, 0, MPI_SUM, w.win);
        MPI_Win_flush(0, w.win);
      }
      c.all.barrier();
    });
    MPI_Win_unlock_all(w.win);
    print_row(c.all, "fetch_add4", 8, ns / c.all.size());
  }
}

void construct_row(context& c, const bench::arguments& a) {
  if (!a.wants("construct")) return;
  const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      void* base = nullptr;
      MPI_Win win = MPI_WIN_NULL;
      MPI_Win_allocate(4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
      keep(base);
      MPI_Win_free(&win);
    }
  });
  print_row(c.all, "construct", 4096, ns);
}

template <class Window>
void for_kind_of_window(context& c, const bench::arguments& a, const std::string& kind) {
  small_rows<Window>(c, a, kind);
  active_rows<Window>(c, a, kind);
}

void node_rows(context& c, const bench::arguments& a) {
  if (c.all.size() <= 2) {
    small_rows<mpi_window>(c, a, "");
    large_rows(c, a);
    bench::memory_rows(c, a);
  }
  if (a.wants("lock_put_unlock")) c.lock_put_unlock("lock_put_unlock");
  active_rows<mpi_window>(c, a, "");
  if (c.all.size() == 2) {
    for_kind_of_window<bench::created_window>(c, a, "create_");
    for_kind_of_window<bench::dynamic_window>(c, a, "dynamic_");
    construction_rows(c, a);
    accumulate_rows<mpi_window>(c, a, "");
    accumulate_rows<bench::created_window>(c, a, "create_");
    strided_rows(c, a);
    bench::more_rows(c, a);
  }
  if (c.all.size() == 4) contended_rows(c, a);
  construct_row(c, a);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const bench::arguments a(argc, argv);
    bench::mpi_party all;
    context c{all, a.seconds};
    if (a.net)
      bench::net_rows(c, a);
    else
      node_rows(c, a);
  }
  MPI_Finalize();
  return 0;
}
