#include "session/bootstrap/announcing.hpp"

#include "session/bootstrap/gathering_tree.hpp"

namespace oriel::sessions {
namespace {

// Why `child` does not reach `parent` at `where`; empty where it may.
std::string objection(const admission::member& parent, const socket_address& where,
                      const admission::member& child) {
  const std::string who = "rank " + std::to_string(parent.rank);
  if (parent.port == 0) return who + " cannot listen for its children";
  if (where.is_loopback() && !unmapped(child.from).is_loopback())
    return who + " is known by an address of its own host only, and its child rank " +
           std::to_string(child.rank) + " is on another";
  // Whose scope is a number of rank 0's host.
  if (where.is_link_local()) return who + " is known by a link-local address only";
  return "";
}

}  // namespace

std::vector<std::optional<socket_address>> places_of_parents(
    const std::vector<admission::member>& ranks, std::string& hindrance) {
  std::vector<std::optional<socket_address>> places(ranks.size());
  for (std::size_t i = 0; i < ranks.size() && hindrance.empty(); ++i) {
    const int parent = parent_in_tree(ranks[i].rank);
    if (parent == 0) continue;
    const admission::member& its = ranks[static_cast<std::size_t>(parent) - 1];
    socket_address where = unmapped(its.from);
    hindrance = objection(its, where, ranks[i]);
    where.set_port(its.port);
    places[i] = where;
  }
  return places;
}

}  // namespace oriel::sessions
