// A collective step that may fail on some ranks, while a session opens: every rank's outcome, or
// what its part gives, over a bootstrap.
#pragma once

#include <string>
#include <vector>

#include "oriel/detail/numbered.hpp"
#include "session/bootstrap/bootstrap.hpp"
#include "session/outcome.hpp"

namespace oriel::sessions {

// What some rank's part has thrown, on all ranks alike: they may take another step together.
class agreed_error : public error {
 public:
  using error::error;
};

// What `part()` gives on every rank, in rank order. Where it throws on some, the same error on all:
// the code of the first such rank, and a text with that rank, `what` cannot be done (unless empty),
// and why: an agreed_error. Throws as allgather does.
template <class Part>
std::vector<std::string> together(bootstrap& launcher, const std::string& what, Part part) {
  // A byte for the code; then a text of any length, or what the part gives.
  const auto coded = [](errc code, const std::string& rest) {
    return static_cast<char>(code) + rest;
  };
  std::string mine;
  attempt_or([&] { mine = coded(errc::success, part()); },
             [&](errc code, const char* why) { mine = coded(code, why); });
  std::vector<std::string> all = launcher.allgather(mine);
  for (std::size_t r = 0; r < all.size(); ++r) {
    const auto code = detail::numbered<errc>(all[r].empty() ? -1 : all[r][0]);
    if (code) all[r].erase(0, 1);
    if (code == errc::success) continue;
    std::string why = "rank " + std::to_string(r) + ": ";
    if (!code) throw agreed_error(errc::peer_failed, why.append("its answer is not understood"));
    if (!what.empty()) why.append(what).append(": ");
    throw agreed_error(*code, why.append(all[r]));
  }
  return all;
}

}  // namespace oriel::sessions
