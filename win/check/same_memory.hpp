// ORIEL_CHECK: windows of this process whose memory overlaps: what has been created on one buffer
// twice, or attached to two windows. Each window logs its own accesses; an operation is compared
// with those of the others that have the same bytes. Lives as
// `session_state::extension<same_memory>()`. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oriel/rank.hpp"
#include "sync/system.hpp"
#include "win/check/shadow_log.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

class same_memory {
 public:
  explicit same_memory(detail::session_state&) noexcept {}

  void add(detail::window_core&);
  void remove(const detail::window_core&) noexcept;

  // An access to memory of `owner` that the window's own log has: returns "overlaps a put of rank 3
  // at main.cpp:12 to the same memory, by window 'b', and nothing orders them" where one of another
  // window does. Throws std::bad_alloc.
  std::optional<std::string> conflict(const detail::window_core&, rank owner, const shadow_access&);

 private:
  // Bytes of the node's memory, by their offsets, or of a process's own, by their addresses.
  struct place {
    static constexpr int of_node = -1;
    int space = of_node;  // or the process's rank in the job
    std::uint64_t low = 0, high = 0;
  };
  struct segment {
    place at;
    std::uint64_t first = 0;  // in bytes, where the window's displacements begin
    detail::window_core* window = nullptr;
    rank owner{};
  };

  static std::optional<place> find(const detail::window_core&, rank owner, std::uint64_t low,
                                   std::uint64_t high) noexcept;
  // Those that a rank has now attached.
  static std::vector<segment> attached(detail::window_core&, rank owner);

  sync::mutex mutex_;
  std::vector<segment> segments_;                // of windows that are not attached to
  std::vector<detail::window_core*> attaching_;  // the others
};

}  // namespace oriel::win
