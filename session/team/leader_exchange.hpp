// Collectives among one rank of each node, in steps that double the distance: O(log nodes) messages
// a rank (dissemination: Hensgen, Finkel and Manber, 1988). All collectives take the same steps, so
// that leaders that have called different ones meet all the same: every message begins with its
// sender's call, or with the ranks whose calls differ as far as the sender has received.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oriel/errc.hpp"
#include "session/team/collective_call.hpp"
#include "session/team/collectives.hpp"
#include "session/team/job.hpp"
#include "session/team/messenger.hpp"

namespace oriel::sessions {

class leader_exchange {
 public:
  // `leaders`: world ranks, the same list everywhere; `named`: the same ranks for messages to
  // people, ascending; `me`: this rank's place in both. `group` is the messenger's name for this
  // exchange, used by no other. One thread at a time.
  leader_exchange(messenger& way, std::uint64_t group, std::vector<int> leaders,
                  std::vector<int> named, int me, const call_watch& watch)
      : messenger_(&way),
        group_(group),
        leaders_(std::move(leaders)),
        named_(std::move(named)),
        me_(me),
        watch_(&watch) {}

  // All return mismatched_collective, on all leaders, when the calls differ.
  errc barrier(const collective_call&) noexcept;
  // Leader i's block, of sizes[i] bytes, becomes part i of `all` on every leader. no_mem, on every
  // leader, when one has no memory for it, or has given no block (null; `sizes` may be empty then).
  errc allgather(const collective_call&, const std::byte* mine, std::span<const std::size_t> sizes,
                 std::vector<std::vector<std::byte>>& all) noexcept;
  using merge_function = collectives::merge_function;
  errc combine(const collective_call&, void* value, std::size_t bytes,
               merge_function merge) noexcept;
  // no_mem, everywhere, when a leader has no memory to pass the data on.
  errc broadcast(const collective_call&, void* data, std::size_t bytes, int root) noexcept;
  // This leader's ranks have called different ones: reports that to all leaders.
  errc report(const different_calls& known) noexcept;

  // What was found, by the ranks' names.
  [[nodiscard]] const different_calls& found() const noexcept { return found_; }
  // The place of the leader that a failed call waited for.
  [[nodiscard]] int awaited() const noexcept { return awaited_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(leaders_.size()); }

 private:
  template <class Give, class Take>
  errc disseminate(const collective_call&, Give give, Take take) noexcept;
  void hear(int from, int distance, const collective_call& mine,
            std::span<const std::byte> received) noexcept;
  [[nodiscard]] int leader(int i) const noexcept { return leaders_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int named(int i) const noexcept { return named_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] message_tag tag(int round) const noexcept {
    return {group_, turn_, static_cast<std::uint32_t>(round)};
  }

  messenger* messenger_;
  std::uint64_t group_;
  std::vector<int> leaders_;
  std::vector<int> named_;
  int me_;
  const call_watch* watch_;
  std::uint32_t turn_ = 0;
  int awaited_ = 0;
  different_calls found_;
};

}  // namespace oriel::sessions
