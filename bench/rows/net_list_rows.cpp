// Lists of elements between nodes, every rank at once: to the other node alone, and to random ranks
// of both nodes.
#include "bench/rows/lists.hpp"

namespace bench {
namespace {

using namespace oriel;
using elements = window<word, assertion_set(assertion::shared_lock)>;

void lists(oriel_party& all, const arguments& a, elements& w) {
  random_lists far(all, a, w, all.size() - 1 - all.rank());
  far.scatter("net_far_scatter");
  far.histogram("net_far_histogram");
  far.gather("net_far_gather");
  random_lists any(all, a, w);
  any.histogram("net_list_histogram");
  any.gather("net_list_gather");
  any.swap("net_list_swap");
}

}  // namespace

void net_list_rows(oriel_party& all, const arguments& a) {
  if (!a.wants_any({"net_far_scatter", "net_far_histogram", "net_far_gather", "net_list_histogram",
                    "net_list_gather", "net_list_swap"}))
    return;
  auto w = elements::allocate(all.world(), random_elements, {.name = "lists", .aggregate = true});
  const auto epoch = w.lock_all();
  lists(all, a, w);
}

}  // namespace bench
