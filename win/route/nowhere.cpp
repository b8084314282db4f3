// A rank of another node that exposes no memory: every access is out of its range. What needs none,
// a notification of no elements say, goes by messages.
#include "win/route/known_routes.hpp"
#include "win/route/remote.hpp"

namespace oriel::win {
namespace {

offer probe(assertion_set, const peer_facts&) noexcept {
  return {1, "it exposes no memory"};
}

errc put(window_core&, const target&, std::ptrdiff_t, const void*, std::size_t, tracker*) noexcept {
  return errc::rma_range;
}
errc get(window_core&, const target&, std::ptrdiff_t, void*, std::size_t, tracker*) noexcept {
  return errc::rma_range;
}

}  // namespace

constinit const route routes::nowhere{
    .name = "none",
    .probe = probe,
    .find = find_remote,
    .put = put,
    .get = get,
    .accumulate = accumulate_remote,
    .compare_swap = swap_remote,
    .notify = notify_remote,
    .refuse_notify = refuse_notify_remote,
    .flush = flush_remote,
    .query = query_remote,
    .segments = segments_remote,
    .tracked = true,
};

}  // namespace oriel::win
