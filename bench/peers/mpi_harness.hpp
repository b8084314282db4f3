// What the rows of the MPI twins share: MPI as the harness sees it, and the loops around what is
// timed.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "bench/support/measure.hpp"

namespace bench {

class mpi_party final : public party {
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
  // The displacement of the word that step `i` of a row works on.
  [[nodiscard]] MPI_Aint at(long i) const { return i % walked; }
  void* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

// On memory that the program had before.
struct created_window {
  explicit created_window(std::size_t bytes) : memory(bytes) {
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(bytes), 8, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
  }
  ~created_window() { MPI_Win_free(&win); }
  [[nodiscard]] MPI_Aint at(long i) const { return i % walked; }
  std::vector<char> memory;
  MPI_Win win = MPI_WIN_NULL;
};

// The same, attached to a dynamic window; displacements are rank 1's addresses.
struct dynamic_window {
  explicit dynamic_window(std::size_t bytes) : memory(bytes) {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory.data(), static_cast<MPI_Aint>(bytes));
    MPI_Get_address(memory.data(), &first);
    MPI_Bcast(&first, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  }
  ~dynamic_window() {
    MPI_Win_detach(win, memory.data());
    MPI_Win_free(&win);
  }
  [[nodiscard]] MPI_Aint at(long i) const { return first + i % walked * 8; }
  std::vector<char> memory;
  MPI_Aint first = 0;
  MPI_Win win = MPI_WIN_NULL;
};

struct context {
  mpi_party& all;
  double seconds;
  std::uint64_t value = 1;

  [[nodiscard]] int target() const { return all.size() > 1 ? 1 : 0; }

  // Of operations that complete by other means.
  static constexpr long no_flush = 1l << 62;

  // `op(window, place)` on rank 0 in a lock_all epoch, with a flush after every `flush_after`.
  // The target exposes `exposed` bytes at least.
  template <class Window = mpi_window, class Op>
  void passive(const std::string& name, Op op, long flush_after = 1, std::size_t bytes = 8,
               std::size_t exposed = 0) {
    Window w(std::max({std::size_t{walked} * 8, bytes, exposed}));
    MPI_Win_lock_all(0, w.win);
    const double ns = nanoseconds_each(all, seconds, [&](long n) {
      if (all.rank() != 0) return;
      for (long i = 0; i < n; ++i) {
        op(w.win, w.at(i));
        if (i % flush_after == flush_after - 1) MPI_Win_flush(target(), w.win);
      }
      MPI_Win_flush(target(), w.win);
    });
    MPI_Win_unlock_all(w.win);
    print_row(all, name, bytes, ns);
  }

  void lock_put_unlock(const char* name, int type = MPI_LOCK_EXCLUSIVE) {
    mpi_window w(walked * 8);
    const double ns = nanoseconds_each(all, seconds, [&](long n) {
      if (all.rank() != 0) return;
      for (long i = 0; i < n; ++i) {
        MPI_Win_lock(type, target(), 0, w.win);
        put(w.win, w.at(i));
        MPI_Win_unlock(target(), w.win);
      }
    });
    print_row(all, name, 8, ns);
  }

  // Collective: an epoch in which rank 0 puts.
  template <class Window = mpi_window>
  void fence(const std::string& name) {
    Window w(walked * 8);
    MPI_Win_fence(0, w.win);
    const double ns = nanoseconds_each(all, seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        if (all.rank() == 0) put(w.win, w.at(i));
        MPI_Win_fence(0, w.win);
      }
    });
    print_row(all, name, 8, ns);
  }

  // An epoch in which rank 0 puts to rank 1, of two.
  template <class Window = mpi_window>
  void pscw(const std::string& name) {
    Window w(walked * 8);
    MPI_Group world, other;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int peer = 1 - all.rank();
    MPI_Group_incl(world, 1, &peer, &other);
    const double ns = nanoseconds_each(all, seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        if (all.rank() == 0) {
          MPI_Win_start(other, 0, w.win);
          put(w.win, w.at(i));
          MPI_Win_complete(w.win);
        } else {
          MPI_Win_post(other, 0, w.win);
          MPI_Win_wait(w.win);
        }
      }
    });
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    print_row(all, name, 8, ns);
  }

  void put(MPI_Win w, MPI_Aint at) {
    MPI_Put(&value, 1, MPI_UINT64_T, target(), at, 1, MPI_UINT64_T, w);
  }
};

// Of MPI programs alone: bench/peers/mpi_more_rows.cpp. Two ranks.
void more_rows(context&, const arguments&);
// The cases of bench/rows/memory_rows.cpp that MPI has.
void memory_rows(context&, const arguments&);
// Between nodes: the cases of bench/rows/net_rows.cpp.
void net_rows(context&, const arguments&);

}  // namespace bench
