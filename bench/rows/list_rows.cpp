// Random elements of all ranks of a node, out of cache, every rank at once: by lists, and in plain
// loops over window.view(); and by lists and one by one in memory of the program's, which its owner
// alone maps.
#include "bench/rows/lists.hpp"

namespace bench {
namespace {

using namespace oriel;
using elements = window<word, assertion::shared_lock | assertion::remote_load_store>;

void lists(oriel_party& all, const arguments& a, elements& w) {
  random_lists any(all, a, w);
  any.gather("list_gather");
  any.scatter("list_scatter");
  any.histogram("list_histogram");
  any.swap("list_swap");
}

template <class Op>
void view_row(oriel_party& all, const arguments& a, elements& w, const char* name, Op op) {
  if (!a.wants(name)) return;
  const random_places<rank, disp> to(all.rank(), static_cast<word>(all.size()));
  const auto view = w.view();
  const double ns = nanoseconds_a_draw(
      all, a.seconds,
      [&](std::size_t first, std::size_t n) {
        word sum = 0;
        // By value, as a loop has it: else its base is read from memory for each element.
        const auto mine = view;
        for (std::size_t i = first; i < first + n; ++i) sum += op(mine, to.ranks[i], to.disps[i]);
        keep(sum);
      },
      [&w] { w.flush_all().or_throw(); });
  print_row(all, name, sizeof(word), ns);
}

void views(oriel_party& all, const arguments& a, elements& w) {
  view_row(all, a, w, "view_get", [](const auto& v, rank r, disp d) { return v.get(r, d); });
  view_row(all, a, w, "view_add", [](const auto& v, rank r, disp d) {
    v.add(r, d, 1);
    return word{0};
  });
  view_row(all, a, w, "view_swap", [](const auto& v, rank r, disp d) {
    return v.template fetch_op<atomic_op::replace>(r, d, 1);
  });
}

// Malloc'ed, as programs have it.
void private_memory(oriel_party& all, const arguments& a) {
  if (!a.wants_any({"private_list_gather", "private_list_scatter", "private_list_histogram",
                    "private_list_swap", "private_add", "private_add_one_way"}))
    return;
  std::vector<word> memory(random_elements);
  auto w = window<word, assertion_set(assertion::shared_lock)>::create(
      all.world(), memory, {.name = "private", .aggregate = true});
  const auto epoch = w.lock_all();
  random_lists any(all, a, w);
  any.gather("private_list_gather");
  any.scatter("private_list_scatter");
  any.histogram("private_list_histogram");
  any.swap("private_list_swap");
  any.each("private_add", [&w](rank r, disp d) { return w.add(r, d, 1); });
  // Rank 0 alone, to one that waits.
  random_lists to_next(all, a, w, 1);
  to_next.each("private_add_one_way",
               [&](rank r, disp d) { return all.rank() == 0 ? w.add(r, d, 1) : status(); });
}

}  // namespace

void list_rows(oriel_party& all, const arguments& a) {
  private_memory(all, a);
  if (!a.wants_any({"list_gather", "list_scatter", "list_histogram", "list_swap", "view_get",
                    "view_add", "view_swap"}))
    return;
  auto w = elements::allocate(all.world(), random_elements, {.name = "lists"});
  const auto epoch = w.lock_all();
  for (word& x : w.remote(rank{all.rank()})) x = 0;  // touched by its owner first
  all.barrier();
  lists(all, a, w);
  views(all, a, w);
}

}  // namespace bench
