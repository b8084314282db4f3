// Post, start, complete, wait (MPI-4.1 §12.5.2) in shared memory.
//
// Posts are matched per pair: rank o's row holds one counter for each target that has posted to it,
// so `start` reads only its own row. Completions need no pair: an origin completes only an exposure
// that waits for it, so each rank counts how many have. Beside that count lies a letter of the
// first of them that has one. 4 bytes a pair and 64 a rank, zeroed at first. One thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oriel/errc.hpp"
#include "oriel/rank.hpp"
#include "sync/letter.hpp"
#include "sync/system.hpp"
#include "sync/wait.hpp"

namespace oriel::sync {

class pscw {
 public:
  static std::size_t bytes(int ranks) noexcept;

  pscw() = default;
  pscw(std::byte* block, int me, int ranks, const peer_watch& peers);

  // rma_sync when an exposure is open, rank for one out of range or named twice. `others`: origins
  // beyond this memory, whose completions arrive through `completed_elsewhere`.
  errc post(std::span<const rank> origins, std::uint32_t others = 0) noexcept;
  // Waits for the posts of all `targets`. rma_sync when an access epoch is open. On success,
  // `targets()` holds the group.
  errc start(std::span<const rank> targets) noexcept;
  // Whether `start` would find a post of the rank.
  [[nodiscard]] bool has_posted(rank target) const noexcept {
    return posts(me_, target.value).load(std::memory_order_acquire) !=
           consumed_[static_cast<std::size_t>(target.value)];
  }
  // An origin that does not share this memory has completed. Any thread.
  void completed_elsewhere() noexcept;
  // Leaves `l` with `l.to`, of the targets, by the completion that follows. Returns false when that
  // has no room for a letter of this rank's.
  bool enclose(const letter& l) noexcept;
  // Notifies the targets. Requires: the caller's operations are complete, or left.
  errc complete() noexcept;
  // Ends the exposure. Blocks until all origins have completed where `done` is null; else `*done`
  // is whether they have, and the exposure is ended if so. Returns peer_failed when one has gone,
  // from tests too, within some longest_sleep (wait_ladder) of its death.
  errc wait(bool* done) noexcept;

  // The letter of the exposure that has ended, if any. Requires: not exposing; its reader closes
  // it.
  [[nodiscard]] const letter* received() const noexcept;
  void close_letter() noexcept;

  [[nodiscard]] bool accessing() const noexcept { return accessing_; }
  [[nodiscard]] bool exposing() const noexcept { return exposing_; }
  [[nodiscard]] std::span<const rank> targets() const noexcept { return targets_; }
  // The rank for whose post `start` waits, or has waited last; -1 before.
  [[nodiscard]] int awaited() const noexcept { return awaited_post_; }

 private:
  static constexpr int near_targets = 14;
  // Of a rank as an origin, and as a target.
  struct alignas(64) origin_line {
    wait_word posted;  // bumped with every post to this rank: what `start` sleeps on
    // Of the first ranks: twice their number, and 1 when the last one has room for a letter.
    std::array<std::atomic<std::uint32_t>, near_targets> posts;
  };
  struct alignas(64) target_line {
    wait_word completed;     // origins that have completed this rank's exposures
    std::uint32_t has_left;  // whether `left` is a letter
    letter left;
  };
  static_assert(sizeof(origin_line) == 64 && sizeof(target_line) == 64);
  [[nodiscard]] origin_line& origin_at(int r) const noexcept;
  [[nodiscard]] target_line& target_at(int r) const noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& posts(int origin, int target) const noexcept;
  [[nodiscard]] bool valid(std::span<const rank> group) const noexcept;
  [[nodiscard]] bool testing_in_vain() noexcept;

  std::byte* block_ = nullptr;
  const peer_watch* peers_ = nullptr;
  int me_ = 0;
  int ranks_ = 0;
  bool accessing_ = false;
  bool exposing_ = false;
  int awaited_post_ = -1;
  std::uint32_t awaited_ = 0;  // completions that end the exposure, counted from the start
  // When a test next looks whether the origins are alive; the epoch of the clock before the first.
  clock::time_point next_look_{};
  std::vector<rank> targets_;            // of the open access epoch
  std::vector<std::uint32_t> consumed_;  // posts already matched, by target: as they were read
};

}  // namespace oriel::sync
