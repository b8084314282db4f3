// ORIEL_CHECK=1: who accesses what in the epochs that are open, one log a target in shared memory,
// to find accesses that conflict (MPI-4.1 §12.7). The oldest entries give way when a log is full,
// so a conflict may be missed but never invented.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "oriel/call_site.hpp"
#include "oriel/primitive.hpp"
#include "session/bootstrap/finding.hpp"
#include "sync/group_lock.hpp"
#include "sync/wait.hpp"

namespace oriel::win {

// An atomic read is an accumulate with no_op: it changes nothing, and takes whole elements.
enum class access_kind : std::uint8_t { get, put, accumulate, atomic_read };

// Bytes [low, high) of the target's displacement space, accessed by `origin`.
struct shadow_access {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::int32_t origin = 0;
  std::uint32_t line = 0;
  std::uint32_t fences = 0;  // fence calls before it: different fence epochs cannot conflict
  std::uint64_t time = 0;    // of the node's, when it was noted
  access_kind kind = access_kind::get;
  primitive type = primitive::opaque;
  std::array<char, 42> file{};  // the end of the name of the source file
  std::uint64_t offset = 0;     // or, where the line is call_site::in_code, of the code's file
};

struct shadow_log_state {
  static constexpr std::size_t capacity = 256;
  sync::group_lock_state lock;
  std::uint32_t used;
  std::uint32_t next;                // where the next entry goes once the log is full
  std::atomic<std::uint64_t> clock;  // of the first rank's log: counts what the node's ranks note
  std::array<shadow_access, capacity> entries;
};

class shadow_log {
 public:
  shadow_log(shadow_log_state& state, int world_rank, const sync::peer_watch& peers) noexcept
      : state_(&state), world_rank_(world_rank), peers_(&peers) {}

  // Notes an access, or returns the entry that it conflicts with. What was noted up to `before` is
  // ordered before this access, by means that the log does not see.
  std::optional<shadow_access> note(const shadow_access&, std::uint64_t before) noexcept;
  // The accesses of `origin` are complete at the target.
  void forget(std::int32_t origin) noexcept;
  // All accesses are.
  void forget_all() noexcept;

 private:
  template <class Work>
  void locked(Work work) noexcept;

  shadow_log_state* state_;
  int world_rank_;
  const sync::peer_watch* peers_;
};

// "a put of rank 3 at main.cpp:12"
std::string describe(const shadow_access&, sessions::findings&);
void keep_site(shadow_access&, call_site) noexcept;

}  // namespace oriel::win
