// The OpenSHMEM twin of oriel's net rows, as far as OpenSHMEM 1.4 has their operations, for PEs
// that the library is configured to treat as on different nodes. PE 0 accesses PE 1 but where all
// work.
#include <shmem.h>

#include "bench/support/random_places.hpp"

namespace bench {
namespace {

class shmem_party final : public party {
 public:
  int rank() const override { return shmem_my_pe(); }
  int size() const override { return shmem_n_pes(); }
  void barrier() override { shmem_barrier_all(); }
  double agree(double mine) override {
    static double from, to;
    static long sync[SHMEM_BCAST_SYNC_SIZE];
    static bool is_first = true;
    if (std::exchange(is_first, false))
      std::fill(std::begin(sync), std::end(sync), SHMEM_SYNC_VALUE);
    from = to = mine;
    shmem_barrier_all();
    shmem_broadcast64(&to, &from, 1, 0, 0, 0, size(), sync);
    shmem_barrier_all();
    return to;
  }
};

template <class T>
class symmetric {
 public:
  explicit symmetric(std::size_t n) : at_(static_cast<T*>(shmem_calloc(n, sizeof(T)))) {
    if (at_ == nullptr) shmem_global_exit(1);
  }
  ~symmetric() { shmem_free(at_); }
  symmetric(const symmetric&) = delete;
  symmetric& operator=(const symmetric&) = delete;
  operator T*() const { return at_; }

 private:
  T* at_;
};

struct measurement {
  shmem_party& all;
  const arguments& a;

  // `op(i)` on PE 0, with a quiet after every `flush_after`.
  template <class Op>
  void row(const char* name, Op op, long flush_after = 1, std::size_t bytes = 8) {
    if (!a.wants(name)) return;
    const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
      if (all.rank() != 0) return;
      for (long i = 0; i < n; ++i) {
        op(i);
        if (i % flush_after == flush_after - 1) shmem_quiet();
      }
      shmem_quiet();
    });
    print_row(all, name, bytes, ns);
  }
  // All PEs: what they have to do in a turn.
  template <class Turn>
  void turns(const char* name, Turn turn) {
    if (!a.wants(name)) return;
    const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) turn();
    });
    print_row(all, name, 8, ns);
  }
};

void single_rows(measurement& m) {
  const symmetric<long> there(walked), mega(net_transfer / sizeof(long));
  const page_buffer here(net_transfer);
  long got = 0;
  const auto at = [&there](long i) { return there + i % walked; };
  const auto put = [&](long i) { shmem_long_p(at(i), i, 1); };
  m.row("net_put_flush", put);
  m.row("net_get_flush", [&](long i) { keep(got = shmem_long_g(at(i), 1)); });
  m.row("net_put_stream", put, puts_a_stream);
  m.row(
      "net_put_1m", [&](long) { shmem_putmem(mega, here.data(), net_transfer, 1); }, 1,
      net_transfer);
  m.row(
      "net_get_1m", [&](long) { shmem_getmem(here.data(), mega, net_transfer, 1); }, 1,
      net_transfer);
  m.row("net_fetch_add", [&](long i) { keep(got = shmem_long_atomic_fetch_add(at(i), 1, 1)); });
  m.row("net_cas", [&](long i) { keep(got = shmem_long_atomic_compare_swap(at(i), 1, i, 1)); });
  m.row("net_accumulate", [&](long i) { shmem_long_atomic_add(at(i), 1, 1); });
}

void notify_rows(measurement& m) {
  const symmetric<long> counter(1);
  const bool leads = m.all.rank() < m.all.size() / 2;
  const int partner = (m.all.rank() + m.all.size() / 2) % m.all.size();
  long sent = 0, awaited = 0;
  const auto send = [&] { shmem_long_p(counter, ++sent, partner); };
  const auto await = [&] { shmem_long_wait_until(counter, SHMEM_CMP_GE, ++awaited); };
  m.turns("net_notify_pingpong", [&] {
    if (leads) send();
    await();
    if (!leads) send();
  });
  sent = awaited = std::max(sent, awaited);
  shmem_barrier_all();
  m.turns("net_notify_step", [&] {
    send();
    await();
  });
}

// Random elements of the other PE, both at once, and a quiet at the end.
void element_rows(measurement& m) {
  if (!m.a.wants_any({"net_far_put", "net_far_accumulate", "net_far_get_nbi"})) return;
  const int other = 1 - m.all.rank();
  const symmetric<long> elements(random_elements);
  const random_places<int, std::uint64_t> places(m.all.rank(), 2, other);
  std::vector<long> results(random_draws);
  const auto row = [&](const char* name, auto op) {
    if (!m.a.wants(name)) return;
    const double ns = nanoseconds_a_draw(
        m.all, m.a.seconds,
        [&](std::size_t first, std::size_t n) {
          for (std::size_t i = first; i < first + n; ++i) op(elements + places.disps[i], i);
        },
        [] { shmem_quiet(); });
    print_row(m.all, name, 8, ns);
  };
  row("net_far_put",
      [&](long* at, std::size_t i) { shmem_long_p(at, static_cast<long>(i), other); });
  row("net_far_accumulate", [&](long* at, std::size_t) { shmem_long_atomic_add(at, 1, other); });
  row("net_far_get_nbi",
      [&](long* at, std::size_t i) { shmem_long_get_nbi(&results[i], at, 1, other); });
}

void fence_row(measurement& m) {
  const symmetric<long> there(walked);
  long i = 0;
  m.turns("net_fence", [&] {
    ++i;
    if (m.all.rank() == 0) shmem_long_p(there + i % walked, i, m.all.size() - 1);
    shmem_barrier_all();
  });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  shmem_init();
  {
    const bench::arguments a(argc, argv);
    bench::shmem_party all;
    bench::measurement m{all, a};
    if (all.size() > 2) {
      bench::fence_row(m);
      bench::notify_rows(m);
    } else {
      bench::single_rows(m);
      bench::notify_rows(m);
      bench::element_rows(m);
    }
  }
  // Not shmem_finalize(), in which every program ends by signal 11 with Open MPI 4.1.4.
  shmem_barrier_all();
  shmem_global_exit(0);
}
