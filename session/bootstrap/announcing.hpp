// Where the ranks of a tree are told that their parents listen: at the addresses from which rank 0
// has been joined, which may be of no use to another rank.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/bootstrap/admission.hpp"
#include "session/bootstrap/socket_address.hpp"

namespace oriel::sessions {

// By rank, from 1 on; nothing for rank 0's children. `ranks` are all but rank 0. Where a parent
// does not listen, or is not reached there by a child, `hindrance` says so, for the user.
std::vector<std::optional<socket_address>> places_of_parents(
    const std::vector<admission::member>& ranks, std::string& hindrance);

}  // namespace oriel::sessions
