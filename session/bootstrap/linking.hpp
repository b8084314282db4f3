// How the ranks of a larger job, which all have a connection with rank 0, become a tree: each lets
// its children in, then joins its parent, so that each that has joined brings a whole subtree. Once
// rank 0's own children have done so all ranks are told, down the tree, that they are one.
//
// Rank 0 alone decides: if ranks do not reach each other, or not soon enough, all gather at rank 0
// over the connections that they have. Nothing is lost with a rank that dies meanwhile: it is
// reported by the first gather.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/bootstrap/connection.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/gathering_tree.hpp"
#include "session/bootstrap/socket_address.hpp"
#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {

struct tree_connections {
  connection parent;
  std::vector<connection> children;
};

// On rank 0, whose `contacts` are those with ranks 1, 2, … . Returns whether the ranks are a tree;
// else they have been told to gather at rank 0, and `hindrance` is why, for the user, empty where a
// rank has gone.
bool link_as_root(const job_description&, const tree_place&, std::vector<connection>& contacts,
                  std::string& hindrance);

// On every other rank: what it listens with, where it has children, and where its parent listens,
// unless that is rank 0. Returns nothing where all are to gather at rank 0; else `contact`, the
// connection with rank 0, is used up. Ends within twice the job's time-out; throws peer_failed and
// timed_out where rank 0 has left or does not decide.
std::optional<tree_connections> link_as_member(const job_description&, const tree_place&,
                                               connection& contact, socket_fd listening,
                                               const std::optional<socket_address>& parent);

}  // namespace oriel::sessions
