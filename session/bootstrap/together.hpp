// A collective step that may fail on some ranks, while a session opens.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "oriel/errc.hpp"
#include "session/bootstrap/bootstrap.hpp"

namespace oriel::sessions {

// What `part()` gives on every rank, in rank order. Where it throws on some, errc::system with the
// same text on all: the first such rank, `what` cannot be done, and why. Throws as allgather does.
template <class Part>
std::vector<std::string> together(bootstrap& launcher, const std::string& what, Part part) {
  std::string mine;
  try {
    mine = "+" + part();
  } catch (const std::exception& e) {
    mine = std::string("-") + e.what();
  }
  std::vector<std::string> all = launcher.allgather(mine);
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].empty() || all[r][0] != '+')
      throw error(errc::system, "rank " + std::to_string(r) + ": " + what + ": " +
                                    (all[r].empty() ? "" : all[r].substr(1)));
    all[r].erase(0, 1);
  }
  return all;
}

}  // namespace oriel::sessions
