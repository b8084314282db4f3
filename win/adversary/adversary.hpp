// ORIEL_ADVERSARY=seed: one window's operations as late, and in as strange an order, as they may
// be. A put, get or accumulate is held back at its origin until a call that it must be complete
// after, as if every rank were on a slow network. Calls that synchronize take a while, now and
// then.
//
// Threads: any; those of one process take turns.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "session/adversary_choices.hpp"
#include "sync/system.hpp"
#include "win/adversary/held_operation.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

class adversary {
 public:
  // Draws what it chooses from the seed, this rank and the window.
  adversary(detail::window_core&, std::uint64_t seed);

  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  // Why operations are done at once, if they are; empty where they are held back.
  [[nodiscard]] std::string_view why_at_once() const noexcept { return why_at_once_; }

  void delay() noexcept { choices_.delay(); }
  // Requires: what it refuses has been refused, since a failure is the next flush's.
  void hold(std::unique_ptr<held_operation>) noexcept;
  // Operations to `r`, or to any_rank, are performed; or those that are ordered alone.
  void complete(rank r) noexcept;
  void complete_ordered(rank r) noexcept;
  // Results of operations to `r` are there, and sources are the program's again.
  void complete_locally(rank r) noexcept;
  // The same of the operation that the request is of.
  void complete_locally(const late_request&) noexcept;
  // How many looks at a request find it not complete.
  [[nodiscard]] int looks_in_vain() noexcept;

 private:
  // Performs those of which `is_due` is true, in an order that is drawn.
  template <class IsDue>
  void perform_where(IsDue is_due) noexcept;
  void find_due_before() noexcept;
  void shuffle(std::size_t first) noexcept;
  bool is_due_locally(held_operation&) noexcept;

  detail::window_core& core_;
  const std::uint64_t seed_;
  const std::string_view why_at_once_;
  sessions::adversary_choices choices_;
  sync::mutex mutex_;
  std::uint64_t calls_ = 0;
  // Room for all is made at first, so that nothing fails for memory later.
  std::vector<std::unique_ptr<held_operation>> held_;     // in the order of the calls
  std::vector<std::unique_ptr<held_operation>> ordered_;  // while those are put in order
  std::vector<char> before_;  // by rank: whether an ordered operation follows that is due
};

// By the hint oriel_adversary, else true. Throws info for a value that is none of its.
bool may_hold_back(const info& hints);
// The adversary of a new window; null where none is asked for. Throws std::bad_alloc.
std::shared_ptr<adversary> adversary_of(detail::window_core&);
// Whether operations are held back.
inline bool holds_back(const detail::window_core& core) noexcept {
  return core.adversary != nullptr && core.adversary->why_at_once().empty();
}

}  // namespace oriel::win
