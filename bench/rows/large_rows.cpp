// Many elements: bandwidth, and the accumulate that exclusive locks make plain arithmetic.
#include "bench/rows/rows.hpp"

namespace bench {
namespace {

using namespace oriel;

void bandwidth_rows(oriel_party& all, const arguments& a, bool is_put) {
  const char* const name = is_put ? "put_bw" : "get_bw";
  if (!a.wants(name)) return;
  using many = window<std::uint64_t, assertion::shared_lock | assertion::multi_element>;
  for (const std::size_t bytes : transfer_sizes) {
    auto w = many::allocate(all.world(), bytes / 8);
    const page_buffer memory(bytes);
    const std::span buffer(reinterpret_cast<std::uint64_t*>(memory.data()), bytes / 8);
    transfer_row(all, a, name, is_put, w, disp{0}, buffer, transfers_a_flush);
  }
}

}  // namespace

void large_rows(oriel_party& all, const arguments& a) {
  bandwidth_rows(all, a, true);
  bandwidth_rows(all, a, false);
  if (!a.wants("acc_1m")) return;
  constexpr std::size_t n_elements = 1 << 20;
  auto w = window<double, assertion::exclusive_lock | assertion::multi_element>::allocate(
      all.world(), n_elements);
  const std::vector<double> values(n_elements, 1.0);
  const rank target = all.target();
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      const auto epoch = w.lock_exclusive(target);
      static_cast<void>(w.accumulate(atomic_op::sum, target, disp{0}, std::span(values)));
    }
  });
  print_row(all, "acc_1m", n_elements * 8, ns);
}

}  // namespace bench
