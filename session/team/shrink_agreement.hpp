// Which ranks of a team are left, agreed among them: every rank that returns has the same answer,
// whoever dies meanwhile. Bounded by how soon deaths are noticed, once all that live take part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "oriel/errc.hpp"
#include "sync/limited_watch.hpp"
#include "sync/wait.hpp"

namespace oriel::sessions {

// The ranks of a team, as both ways need them.
struct agreeing {
  const std::vector<int>* world = nullptr;  // by rank of the team
  int me = 0;
  std::uint32_t turn = 0;                   // counts the agreements of this team, from 1
  const sync::peer_watch* waits = nullptr;  // as all of the job do
  std::function<bool(int)> look;            // whether a rank of the team is here: asks the kernels

  [[nodiscard]] int size() const noexcept { return static_cast<int>(world->size()); }
};

// All on one node: in shared memory, zeroed at first. Ranks sign in; when everyone has who lives,
// one of them writes down who did. Should it die while it writes, the next does.
class node_shrink_agreement {
 public:
  static std::size_t bytes(int ranks) noexcept;
  node_shrink_agreement(std::byte* block, int ranks) noexcept : block_(block), ranks_(ranks) {}
  // `living` is by rank of the team. timed_out as the job's patience says: the others may still
  // agree with this rank among them, and it learns so when it asks again with the same turn.
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
