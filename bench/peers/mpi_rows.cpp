// The MPI twin of bench/rows: the same cases through MPI RMA on MPI_Win_allocate. Built once for
// each MPI that is installed.
#include <mpi.h>

#include <cstdint>

#include "bench/support/measure.hpp"

namespace {

using bench::keep;
using bench::nanoseconds_each;
using bench::print_row;
using bench::walked;

class mpi_party final : public bench::party {
 public:
  mpi_party() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  double agree(double mine) override {
    MPI_Bcast(&mine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return mine;
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

struct mpi_window {
  explicit mpi_window(std::size_t bytes) {
    MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    std::memset(base, 0, bytes);
  }
  ~mpi_window() { MPI_Win_free(&win); }
  void* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

struct context {
  mpi_party& all;
  double seconds;
  [[nodiscard]] int target() const { return all.size() > 1 ? 1 : 0; }

  // `op(i)` on rank 0 in a lock_all epoch, with a flush where `each` says.
  template <class Op>
  void passive(const char* name, Op op, bool flush_each = true) {
    mpi_window w(walked * 8);
    MPI_Win_lock_all(0, w.win);
    const double ns = nanoseconds_each(all, seconds, [&](long n) {
      if (all.rank() != 0) return;
      for (long i = 0; i < n; ++i) {
        op(w.win, static_cast<MPI_Aint>(i % walked));
        if (flush_each || i % 1024 == 1023) MPI_Win_flush(target(), w.win);
      }
      MPI_Win_flush(target(), w.win);
    });
    MPI_Win_unlock_all(w.win);
    print_row(all, name, 8, ns);
  }
};

void small_rows(context& c, const bench::arguments& a) {
  std::uint64_t value = 1, expected = 1, result = 0;
  const int t = c.target();
  const auto put = [&](MPI_Win w, MPI_Aint at) {
    MPI_Put(&value, 1, MPI_UINT64_T, t, at, 1, MPI_UINT64_T, w);
  };
  if (a.wants("put_flush")) c.passive("put_flush", put);
  if (a.wants("put_rate")) c.passive("put_rate", put, false);
  if (a.wants("get_flush"))
    c.passive("get_flush", [&](MPI_Win w, MPI_Aint at) {
      MPI_Get(&result, 1, MPI_UINT64_T, t, at, 1, MPI_UINT64_T, w);
    });
  if (a.wants("fetch_add"))
    c.passive("fetch_add", [&](MPI_Win w, MPI_Aint at) {
      MPI_Fetch_and_op(&value, &result, MPI_UINT64_T, t, at, MPI_SUM, w);
    });
  if (a.wants("compare_swap"))
    c.passive("compare_swap", [&](MPI_Win w, MPI_Aint at) {
      MPI_Compare_and_swap(&value, &expected, &result, MPI_UINT64_T, t, at, w);
    });
  if (a.wants("accumulate"))
    c.passive("accumulate", [&](MPI_Win w, MPI_Aint at) {
      MPI_Accumulate(&value, 1, MPI_UINT64_T, t, at, 1, MPI_UINT64_T, MPI_SUM, w);
    });
}

void epoch_rows(context& c, const bench::arguments& a) {
  std::uint64_t value = 1;
  const int t = c.target();
  const bool putting = c.all.rank() == 0;
  const auto put = [&](MPI_Win w, long i) {
    MPI_Put(&value, 1, MPI_UINT64_T, t, i % walked, 1, MPI_UINT64_T, w);
  };
  if (a.wants("lock_put_unlock")) {
    mpi_window w(walked * 8);
    const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
      if (c.all.rank() != 0) return;
      for (long i = 0; i < n; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w.win);
        put(w.win, i);
        MPI_Win_unlock(t, w.win);
      }
    });
    print_row(c.all, "lock_put_unlock", 8, ns);
  }
  for (const char* name : {"fence", "fence4"}) {
    if (!a.wants(name) || (name == std::string("fence4")) != (c.all.size() > 2)) continue;
    mpi_window w(walked * 8);
    MPI_Win_fence(0, w.win);
    const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        if (putting) put(w.win, i);
        MPI_Win_fence(0, w.win);
      }
    });
    print_row(c.all, name, 8, ns);
  }
  if (a.wants("pscw") && c.all.size() == 2) {
    mpi_window w(walked * 8);
    MPI_Group world, other;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int peer = 1 - c.all.rank();
    MPI_Group_incl(world, 1, &peer, &other);
    const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        if (putting) {
          MPI_Win_start(other, 0, w.win);
          put(w.win, i);
          MPI_Win_complete(w.win);
        } else {
          MPI_Win_post(other, 0, w.win);
          MPI_Win_wait(w.win);
        }
      }
    });
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    print_row(c.all, "pscw", 8, ns);
  }
}

void large_rows(context& c, const bench::arguments& a) {
  const int t = c.target();
  for (const bool is_put : {true, false}) {
    const char* const name = is_put ? "put_bw" : "get_bw";
    if (!a.wants(name)) continue;
    for (const std::size_t bytes : bench::transfer_sizes) {
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

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const bench::arguments a(argc, argv);
    mpi_party all;
    context c{all, a.seconds};
    if (all.size() <= 2) {
      small_rows(c, a);
      large_rows(c, a);
    }
    epoch_rows(c, a);
    if (all.size() == 4) contended_rows(c, a);
    construct_row(c, a);
  }
  MPI_Finalize();
  return 0;
}
