// ORIEL_CHECK: what one thread of a process may rely on, as times at which others had completed
// what they did (vector_clock.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace oriel::sessions {

// Of a thread that is not told apart from the others of its process.
constexpr std::int16_t every_thread = -1;
constexpr std::size_t most_threads = 64;

// When one of this process's threads did something; time 0: not yet.
struct moment {
  std::uint64_t time = 0;
  std::int16_t thread = every_thread;
};

struct known_times {
  std::vector<std::uint64_t> ranks;                   // of each world rank, as it has told
  std::array<std::uint64_t, most_threads> threads{};  // of each thread of this process
  std::uint64_t everything = 0;                       // all that was complete by then, of all
  // The last time at which something of this process was complete that this thread knows of: what
  // it tells other ranks of its own.
  std::uint64_t completed = 0;

  void join(const known_times& other) noexcept {
    const auto later = [](auto& mine, const auto& theirs) {
      for (std::size_t i = 0; i < theirs.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
    };
    later(ranks, other.ranks);
    later(threads, other.threads);
    everything = std::max(everything, other.everything);
    completed = std::max(completed, other.completed);
  }
};

}  // namespace oriel::sessions
