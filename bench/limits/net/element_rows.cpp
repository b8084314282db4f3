// What oriel's net rows of small operations do, by an aggregator and nothing else; both processes
// at once. Elements of the process itself are accessed with prefetches.
#include <numeric>

#include "bench/limits/machine.hpp"
#include "bench/limits/net/aggregator.hpp"
#include "bench/limits/net/rows.hpp"
#include "bench/support/random_places.hpp"

namespace bench::net {
namespace {

using places = random_places<std::int32_t, std::uint64_t>;

class elements {
 public:
  elements(processes& all, const arguments& a)
      : all_(all),
        a_(a),
        memory_(random_elements * sizeof(std::uint64_t)),
        mine_(memory_.as<std::uint64_t>(), random_elements),
        other_(all, mine_),
        results_(random_draws) {}

  // Of `bytes`, with which an operation of oriel's is concerned.
  template <element_op Op>
  void row(const char* name, const places& to, std::size_t bytes = sizeof(std::uint64_t)) {
    if (!a_.wants(name)) return;
    const double ns = nanoseconds_a_draw(
        all_, a_.seconds, [&](std::size_t first, std::size_t n) { access<Op>(to, first, n); },
        [this] { other_.flush(); });
    print_row(all_, name, bytes, ns);
  }
  void dart_row(const char* name);

 private:
  static constexpr std::size_t ahead = 32;

  template <element_op Op>
  void access(const places& to, std::size_t first, std::size_t n) {
    const std::size_t end = first + n;
    for (std::size_t i = first; i < end; ++i) {
      if (const std::size_t next = std::min(i + ahead, end - 1); to.ranks[next] == all_.rank())
        __builtin_prefetch(&mine_[to.disps[next]], 1);
      access_one<Op>(to.ranks[i], to.disps[i], 1, results_[i]);
    }
  }
  template <element_op Op>
  void access_one(std::int32_t rank, std::uint64_t place, std::uint64_t value,
                  std::uint64_t& result) {
    if (rank != all_.rank())
      other_.begin<Op>(place, value, &result);
    else if (const std::uint64_t before = perform<Op>(mine_[place], value); has_result(Op))
      result = before;
  }
  void throw_darts();

  processes& all_;
  const arguments& a_;
  shared_memory memory_;
  std::span<std::uint64_t> mine_;
  aggregator other_;
  std::vector<std::uint64_t> results_;
};

// As bench/rows/net_dart_rows.cpp throws them.
void elements::throw_darts() {
  std::vector<std::uint64_t> darts, missed;
  std::vector<dart_throw> to;
  std::uint64_t throws = 0;
  for (std::uint64_t taken = 0; taken < darts_a_rank || !missed.empty();) {
    darts.swap(missed);
    for (; darts.size() < operations_a_list && taken < darts_a_rank; ++taken)
      darts.push_back(taken + 1);
    to.clear();
    for (std::size_t k = 0; k < darts.size(); ++k) {
      to.emplace_back(all_.rank(), 2, throws++);
      if (to[k].rank == all_.rank()) __builtin_prefetch(&mine_[to[k].element], 1);
    }
    for (std::size_t k = 0; k < darts.size(); ++k)
      access_one<element_op::claim>(to[k].rank, to[k].element, darts[k], results_[k]);
    other_.flush();
    missed.clear();
    for (std::size_t k = 0; k < darts.size(); ++k)
      if (results_[k] != 0) missed.push_back(darts[k]);
  }
}

void elements::dart_row(const char* name) {
  if (!a_.wants(name)) return;
  std::ranges::fill(mine_, 0);
  all_.barrier();
  const auto start = std::chrono::steady_clock::now();
  throw_darts();
  all_.barrier();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  print_row(all_, name, sizeof(std::uint64_t), took.count() / static_cast<double>(darts_a_rank));
}

}  // namespace

void element_rows(processes& all, const arguments& a) {
  elements e(all, a);
  const places far(all.rank(), 2, 1 - all.rank()), any(all.rank(), 2);
  using enum element_op;
  e.row<put>("net_far_put", far);
  e.row<add>("net_far_accumulate", far);
  e.row<get>("net_far_get_nbi", far);
  e.row<fetch_add>("net_far_fetch_add_nbi", far);
  e.row<claim>("net_far_swap_nbi", far);
  e.row<add>("net_list_histogram", any);
  e.row<get>("net_list_gather", any);
  e.row<replace>("net_list_swap", any);
  e.dart_row("net_list_permutation");
  // A key is sent as a place is, and found there at once.
  e.row<put>("net_map_insert", far, 16);
  e.row<fetch_add>("net_map_fetch_add", far, 16);
  e.row<get>("net_map_find", far, 16);
}

}  // namespace bench::net
