// A tile of an array of the other node, put from a dense buffer: rows that lie apart there.
#include "bench/rows/rows.hpp"

namespace bench {

void net_tile_row(oriel_party& all, const arguments& a) {
  using namespace oriel;
  constexpr const char* name = "net_tile_put";
  if (!a.wants(name)) return;
  constexpr assertion_set promise = assertion::shared_lock | assertion::user_datatype;
  auto w =
      window<double, promise>::allocate(all.world(), tile_field * tile_field, {.name = "field"});
  const auto epoch = w.lock_all();
  const std::vector<double> dense(tile_rows * tile_rows, 1.0);
  const shape from{datatype::of<double>(), dense.size()};
  const shape to{datatype::vector(tile_rows, tile_rows, tile_field, datatype::of<double>())};
  const rank target{all.size() - 1};
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      w.put(target, disp{tile_first}, dense.data(), from, to).or_throw();
      w.flush(target).or_throw();
    }
  });
  print_row(all, name, tile_rows * tile_rows * sizeof(double), ns);
}

}  // namespace bench
