// The agreement of a team on its survivors: every rank that returns has the same answer, whichever
// rank dies meanwhile. Bounded by the time to detect deaths, once all living ranks take part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "oriel/errc.hpp"
#include "sync/limited_watch.hpp"
#include "sync/wait.hpp"

namespace oriel::sessions {

// The ranks of a team, as both ways need them.
struct agreeing {
  std::span<const int> world;  // by rank of the team
  int me = 0;
  std::uint32_t turn = 0;                   // counts the agreements of this team, from 1
  const sync::peer_watch* waits = nullptr;  // as all of the job do
  std::function<bool(int)> look;            // whether a rank of the team is alive, by its kernel

  [[nodiscard]] int size() const noexcept { return static_cast<int>(world.size()); }
};

// All on one node: in shared memory, zeroed at first. Ranks sign in; when every living rank has,
// one of them writes the list. Where it dies while it writes, the next does.
class node_shrink_agreement {
 public:
  static std::size_t bytes(int ranks) noexcept;
  node_shrink_agreement(std::byte* block, int ranks) noexcept : block_(block), ranks_(ranks) {}
  // `living` is by rank of the team. timed_out after the job's time-out: the others may still agree
  // with this rank among them, and a second call with the same turn returns what they agreed.
  errc agree(const agreeing&, std::vector<bool>& living);

 private:
  struct head;
  [[nodiscard]] head& state() const noexcept;
  // The latest turn that this rank has signed in for, and the latest whose answer has it in it.
  [[nodiscard]] std::atomic<std::uint32_t>& signed_in(int r) const noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& left(int r) const noexcept;

  std::byte* block_;
  int ranks_;
};

}  // namespace oriel::sessions
