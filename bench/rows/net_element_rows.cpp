// Single elements at random places of the other node under window_options::aggregate, one operation
// a call; every rank at once. Many are under way: nothing waits before the end.
#include "bench/rows/operations.hpp"
#include "bench/support/random_places.hpp"

namespace bench {
namespace {

using namespace oriel;
using elements = window<word, assertion_set(assertion::shared_lock)>;
// Runs of so many elements, and every second of as many.
constexpr std::size_t run = 4;
using runs =
    window<word, assertion::shared_lock | assertion::multi_element | assertion::user_datatype>;

template <class Window>
class far_elements {
 public:
  far_elements(oriel_party& all, const arguments& a)
      : all_(all),
        a_(a),
        window_(Window::allocate(all.world(), random_elements + 2 * run,
                                 {.name = "elements", .aggregate = true})),
        epoch_(window_.lock_all()),
        places_(all.rank(), static_cast<word>(all.size()), all.size() - 1 - all.rank()),
        results_(random_draws + 2 * run) {}

  // `op(window, rank, disp, i, result)` on each.
  template <class Op>
  void row(const char* name, Op op, std::size_t bytes = sizeof(word)) {
    if (!a_.wants(name)) return;
    const double ns = nanoseconds_a_draw(
        all_, a_.seconds,
        [&](std::size_t first, std::size_t n) {
          for (std::size_t i = first; i < first + n; ++i)
            op(window_, places_.ranks[i], places_.disps[i], static_cast<word>(i), results_[i]);
        },
        [&] { window_.flush_all().or_throw(); });
    print_row(all_, name, bytes, ns);
  }

 private:
  oriel_party& all_;
  const arguments& a_;
  Window window_;
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

constexpr auto far_put_run = [](runs& w, rank r, disp d, word, word& from) {
  static_cast<void>(w.put(r, d, std::span<const word>(&from, run)));
};
constexpr auto far_get_run = [](runs& w, rank r, disp d, word, word& result) {
  static_cast<void>(w.get(r, d, std::span(&result, run)));
};
constexpr auto far_accumulate_run = [](runs& w, rank r, disp d, word, word& from) {
  static_cast<void>(w.accumulate(atomic_op::sum, r, d, std::span<const word>(&from, run)));
};
const shape strided{datatype::vector(run, 1, 2, datatype::of<word>()), 1};
constexpr auto far_put_strided = [](runs& w, rank r, disp d, word, word& from) {
  static_cast<void>(w.put(r, d, &from, strided, strided));
};

void run_rows(oriel_party& all, const arguments& a) {
  if (!a.wants_any(
          {"net_far_put_run", "net_far_get_run", "net_far_accumulate_run", "net_far_put_strided"}))
    return;
  constexpr std::size_t bytes = run * sizeof(word);
  far_elements<runs> far(all, a);
  far.row("net_far_put_run", far_put_run, bytes);
  far.row("net_far_get_run", far_get_run, bytes);
  far.row("net_far_accumulate_run", far_accumulate_run, bytes);
  far.row("net_far_put_strided", far_put_strided, bytes);
}

}  // namespace

void net_element_rows(oriel_party& all, const arguments& a) {
  run_rows(all, a);
  if (!a.wants_any({"net_far_put", "net_far_accumulate", "net_far_get_nbi", "net_far_fetch_add_nbi",
                    "net_far_swap_nbi"}))
    return;
  far_elements<elements> far(all, a);
  far.row("net_far_put", far_put);
  far.row("net_far_accumulate", far_accumulate);
  far.row("net_far_get_nbi", far_get);
  far.row("net_far_fetch_add_nbi", far_fetch_add);
  far.row("net_far_swap_nbi", far_swap);
}

}  // namespace bench
