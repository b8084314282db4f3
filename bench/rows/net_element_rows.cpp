// Single elements at random places of the other node under window_options::aggregate, one operation
// a call; every rank at once. Many are under way: nothing waits before the end.
#include "bench/rows/operations.hpp"
#include "bench/support/random_places.hpp"

namespace bench {
namespace {

using namespace oriel;
using elements = window<word, assertion_set(assertion::shared_lock)>;

class far_elements {
 public:
  far_elements(oriel_party& all, const arguments& a)
      : all_(all),
        a_(a),
        window_(elements::allocate(all.world(), random_elements,
                                   {.name = "elements", .aggregate = true})),
        epoch_(window_.lock_all()),
        places_(all.rank(), static_cast<word>(all.size()), all.size() - 1 - all.rank()),
        results_(random_draws) {}

  // `op(window, rank, disp, i, result)` on each.
  template <class Op>
  void row(const char* name, Op op) {
    if (!a_.wants(name)) return;
    const double ns = nanoseconds_a_draw(
        all_, a_.seconds,
        [&](std::size_t first, std::size_t n) {
          for (std::size_t i = first; i < first + n; ++i)
            op(window_, places_.ranks[i], places_.disps[i], static_cast<word>(i), results_[i]);
        },
        [&] { window_.flush_all().or_throw(); });
    print_row(all_, name, sizeof(word), ns);
  }

 private:
  oriel_party& all_;
  const arguments& a_;
  elements window_;
  epoch epoch_;
  random_places<rank, disp> places_;
  std::vector<word> results_;
};

constexpr auto far_put = [](elements& w, rank r, disp d, word i, word&) {
  static_cast<void>(w.put(r, d, i));
};
constexpr auto far_accumulate = [](elements& w, rank r, disp d, word, word&) {
  static_cast<void>(w.add(r, d, 1));
};
constexpr auto far_get = [](elements& w, rank r, disp d, word, word& result) {
  static_cast<void>(w.get_nbi(r, d, result));
};
constexpr auto far_fetch_add = [](elements& w, rank r, disp d, word, word& result) {
  static_cast<void>(w.fetch_add_nbi(r, d, 1, result));
};
constexpr auto far_swap = [](elements& w, rank r, disp d, word i, word& result) {
  static_cast<void>(w.compare_swap_nbi(r, d, 0, i, result));
};

}  // namespace

void net_element_rows(oriel_party& all, const arguments& a) {
  if (!a.wants_any({"net_far_put", "net_far_accumulate", "net_far_get_nbi", "net_far_fetch_add_nbi",
                    "net_far_swap_nbi"}))
    return;
  far_elements far(all, a);
  far.row("net_far_put", far_put);
  far.row("net_far_accumulate", far_accumulate);
  far.row("net_far_get_nbi", far_get);
  far.row("net_far_fetch_add_nbi", far_fetch_add);
  far.row("net_far_swap_nbi", far_swap);
}

}  // namespace bench
