// Contexts: which PEs an operation's numbers stand for, and where their memory is. What one context
// has begun is completed with what all have, so they hold nothing else.
#pragma once

#include <cstddef>
#include <vector>

#include "shmem/process.hpp"
#include "shmem/teams.hpp"

namespace oriel::shmem {

// A context that a program has made: of a team, whose PE numbers it takes.
class team_context {
 public:
  team_context(const process&, oriel_shmem_team& of);
  team_context(const team_context&) = delete;
  team_context& operator=(const team_context&) = delete;

  [[nodiscard]] shmem_ctx_t handle() noexcept { return &seen_; }
  [[nodiscard]] shmem_team_t team() const noexcept { return team_; }
  // The PE of all that the team's PE `pe` is. Requires: the team has it.
  [[nodiscard]] int in_world(int pe) const noexcept {
    return in_world_[static_cast<std::size_t>(pe)];
  }
  [[nodiscard]] int pes() const noexcept { return static_cast<int>(in_world_.size()); }

 private:
  shmem_team_t team_;
  std::vector<int> in_world_;  // the team may be gone before its contexts
  std::vector<char*> heaps_;
  oriel_shmem_context seen_;
};

// Where `bytes` bytes from symmetric address `at` on are of `pe`, for loads and stores; null where
// a window must find them, or something is wrong.
inline char* reach(shmem_ctx_t ctx, const void* at, std::size_t bytes, int pe) noexcept {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(at) - ctx->heap);
  if (offset >= ctx->bytes || bytes > ctx->bytes - offset ||
      static_cast<unsigned>(pe) >= static_cast<unsigned>(ctx->pes)) [[unlikely]]
    return nullptr;
  char* const there = ctx->there[pe];
  return there == nullptr ? nullptr : there + offset;
}

// Symmetric memory of one PE, as windows name it.
struct symmetric_place {
  process& in;
  any_window& window;
  rank owner;
  disp first;

  // Ends the job unless the operation on it has begun well.
  void check(status) const noexcept;
  // The same of one that is complete on return, so that what follows does not conflict with it:
  // ORIEL_CHECK compares an origin's operations until a flush.
  void check_complete(status) const noexcept;
  // Small puts to private memory of this node wait for others to follow them
  // (win/route/deferred_operations.hpp), and all small operations with ORIEL_AGGREGATE=1; a program
  // may never make another call, while the owner waits for what it has begun.
  void send_at_once() const noexcept;
};

// Ends the job where `bytes` bytes from `at` on are not symmetric, or the context has no such PE;
// `call` is what needs them.
symmetric_place find(shmem_ctx_t, const char* call, const void* at, std::size_t bytes,
                     int pe) noexcept;

}  // namespace oriel::shmem
