#include "session/bootstrap/callback_bootstrap.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "oriel/errc.hpp"
#include "session/bootstrap/framing.hpp"

namespace oriel::sessions {
namespace {

[[noreturn]] void bad(const std::string& what) {
  throw error(errc::arg, "session_options::bootstrap: " + what);
}

}  // namespace

callback_bootstrap::callback_bootstrap(bootstrap_callbacks callbacks)
    : callbacks_(std::move(callbacks)) {
  if (callbacks_.size < 1 || callbacks_.size > most_ranks)
    bad("the size is " + std::to_string(callbacks_.size) + "; valid: 1 to " +
        std::to_string(most_ranks));
  if (callbacks_.rank < 0 || callbacks_.rank >= callbacks_.size)
    bad("the rank is " + std::to_string(callbacks_.rank) + "; valid: 0 to " +
        std::to_string(callbacks_.size - 1) + ", since the size is " +
        std::to_string(callbacks_.size));
  if (!callbacks_.allgather)
    bad("rank " + std::to_string(callbacks_.rank) +
        " gives no allgather function; a job needs one, even a job of one");
}

void callback_bootstrap::gather(const void* mine, std::size_t bytes, void* all) {
  const std::string who =
      "the program's allgather callback on rank " + std::to_string(callbacks_.rank);
  status result;
  try {
    result = callbacks_.allgather(mine, bytes, all);
  } catch (const std::exception& e) {
    throw error(errc::peer_failed, who + " threw: " + e.what());
  } catch (...) {
    throw error(errc::peer_failed, who + " threw what is no std::exception");
  }
  if (!result.ok())
    throw error(result.code(), who + " returned " + std::string(name(result.code())));
}

std::vector<std::string> callback_bootstrap::allgather(const std::string& mine) {
  const auto ranks = static_cast<std::size_t>(callbacks_.size);
  const std::uint64_t length = mine.size();
  std::vector<std::uint64_t> lengths(ranks);
  gather(&length, sizeof length, lengths.data());
  for (std::size_t r = 0; r < ranks; ++r)
    if (lengths[r] > longest_message)
      throw error(errc::peer_failed, "rank " + std::to_string(r) + " announced " +
                                         std::to_string(lengths[r]) +
                                         " bytes through the program's allgather callback; at "
                                         "most " +
                                         std::to_string(longest_message) + " are valid");
  const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::string> parts(ranks);
  if (longest == 0) return parts;
  std::string padded = mine;
  padded.resize(std::max(longest, padded.size()));
  std::string all(ranks * longest, '\0');
  gather(padded.data(), longest, all.data());
  for (std::size_t r = 0; r < ranks; ++r) parts[r] = all.substr(r * longest, lengths[r]);
  return parts;
}

}  // namespace oriel::sessions
