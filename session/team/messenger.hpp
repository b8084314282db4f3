// Messages between ranks that share no memory: what the collectives of teams that span nodes are
// made of. Filled by the transport floor (open_messenger is defined there); a session whose job
// runs on one node has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oriel/errc.hpp"
#include "oriel/memory_kinds.hpp"
#include "session/bootstrap/bootstrap.hpp"
#include "session/team/job.hpp"
#include "sync/wait.hpp"

namespace oriel::sessions {

// Matches a receive with its send: never used twice between two ranks.
struct message_tag {
  std::uint64_t group = 0;  // a team or a window
  std::uint32_t turn = 0;   // which of its collectives
  std::uint32_t round = 0;  // which step of it
  // A turn that no collective takes: the sender could not join the group, and never will.
  static constexpr std::uint32_t not_joining = 0xffffffffu;
  friend bool operator==(const message_tag&, const message_tag&) = default;
};

// What a rank answers by itself: each message of the group in turn `asked`, in turn `told` and the
// same round; those of some ranks are left alone.
struct standing_answer {
  std::uint64_t group = 0;
  std::uint32_t asked = 0, told = 0;
  std::vector<std::byte> bytes;
  std::vector<int> but;
};

// Ranks are world ranks. Threads: any, but one at a time per group.
class messenger {
 public:
  virtual ~messenger() = default;
  // The bytes may be reused on return. peer_failed when `to` is known to have gone.
  virtual errc send(int to, const message_tag&, std::span<const std::byte> bytes) noexcept = 0;
  // Blocks until the message has arrived. peer_failed when a watched rank has gone, timed_out by
  // the time-out of `watch`.
  virtual errc receive(int from, const message_tag&, std::vector<std::byte>& bytes,
                       const sync::peer_watch& watch) noexcept = 0;
  // From now on, and until the session ends, whatever this process does: what has arrived and was
  // not received is answered as what arrives. This rank receives no such messages any more.
  virtual void answer_by_itself(standing_answer) = 0;
  // Whether the rank, and whether any, has announced by message_tag::not_joining that it will never
  // take part in the group.
  [[nodiscard]] virtual bool stays_out(std::uint64_t /*group*/, int /*rank*/) const noexcept {
    return false;
  }
  [[nodiscard]] virtual bool any_stays_out(std::uint64_t /*group*/) const noexcept { return false; }
  // Serves what has arrived and completes what is done. Any thread; returns at once when another
  // is at it. Whether there was anything.
  virtual bool progress() noexcept = 0;
  // The same by a thread that sleeps between such calls: it keeps the messenger's own thread, which
  // stands aside for those that are awake, from nothing.
  virtual bool progress_asleep() noexcept { return progress(); }
  // A block of memory that is oriel's: no program unmaps it before gives_back, and nothing is sent
  // from it or received in it then. It may be registered once. No other such block overlaps it.
  virtual void owns(std::span<std::byte> /*block*/) noexcept {}
  virtual void gives_back(const std::byte* /*block*/) noexcept {}
  // A thread of this process calls progress() whatever the application does.
  [[nodiscard]] virtual bool progresses_by_itself() const noexcept = 0;
};

// Collective over the job. `memory`: where this node keeps addresses, for no other messenger.
// `interfaces`: which one to use for each rail where the fabric is over
// sockets; an empty name: whichever. `provided`: the kinds of memory of the session, among which
// the fabric looks for those of devices. Throws the same error on every rank when some rank cannot
// take part.
std::unique_ptr<messenger> open_messenger(bootstrap&, job&, node_memory& memory,
                                          const job_description&,
                                          const std::vector<std::string>& interfaces,
                                          const memory_kind_list& provided);

}  // namespace oriel::sessions
