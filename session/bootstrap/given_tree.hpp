// How the ranks of a larger job become a tree where each knows its parent's place beforehand
// (ORIEL_PARENT): each joins its parent, then lets its children in, and reports when its whole
// subtree has come. Rank 0 then tells all, down the tree, that they are one; it has a connection
// with its own children, and with no other rank.
//
// Rank 0's time-out alone decides who is late, so that it is the same for all ranks, however deep.
// When it has passed, each rank reports who is missing below, and rank 0 tells all that are there.
// A rank that dies meanwhile is found by those that are connected with it, and each passes that on
// before it gives up, as ranks do that gather (gathering.hpp).
#pragma once

#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/gathering_tree.hpp"
#include "session/bootstrap/linking.hpp"

namespace oriel::sessions {

// Collective over the job; ends within three times its time-out and last_words. Throws timed_out,
// on every rank that is connected with rank 0, with those that did not appear; on another, with
// its parent; peer_failed; arg where this rank is refused and where the environment leads to
// another rank, or has nothing for this one to listen with; system. Requires: a job whose parents
// are known, and this rank's place in its tree.
tree_connections open_given_tree(const job_description&, const tree_place&);

}  // namespace oriel::sessions
