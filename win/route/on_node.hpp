// What the routes to the ranks of one node have in common: their words are mapped here, and
// operations are complete on return, but for small puts to private memory that follow one another.
#pragma once

#include "win/route/route.hpp"
#include "win/segment_book.hpp"

namespace oriel::win {

constexpr bool shares_node(assertion_set promised, const peer_facts& peer) noexcept {
  return peer.same_node && !promised.has(assertion::attach);
}

errc notify_on_node(window_core&, const notification&, call_site) noexcept;
void refuse_notify_on_node(window_core&, rank, notice, errc why) noexcept;
errc flush_on_node(window_core&, rank) noexcept;

// Of this rank's own memory, wherever that is.
shared_segment<std::byte> query_own(const window_core&, rank) noexcept;
std::vector<segment<std::byte>> segments_on_node(const window_core&, rank);
// Lacks a name, a probe, and how elements are found and moved.
inline constexpr route on_node_route{
    .notify = notify_on_node,
    .refuse_notify = refuse_notify_on_node,
    .flush = flush_on_node,
    .query = query_unmapped,
    .segments = segments_on_node,
};

// Where this process can load and store a record of rank `r`; null where it cannot.
std::byte* base_of(const window_core&, rank r, const segment_record&) noexcept;

}  // namespace oriel::win
