// ORIEL_CHECK=1: who has accessed what, one log a target in shared memory, to find accesses that
// conflict (MPI-4.1 §12.7): two of which neither is complete before the other, by any
// synchronization of ranks or of threads (session/team/vector_clock.hpp). The oldest entries give
// way when a log is full, so a conflict may be missed but never invented.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "oriel/atomic_op.hpp"
#include "oriel/call_site.hpp"
#include "oriel/primitive.hpp"
#include "session/bootstrap/finding.hpp"
#include "session/team/known_times.hpp"
#include "sync/group_lock.hpp"
#include "sync/wait.hpp"
#include "win/check/target_promises.hpp"

namespace oriel::win {

// An atomic read is an accumulate with no_op: it changes nothing, and takes whole elements. Loads
// and stores are the program's own, and those of operations on their buffers (`by_operation`).
enum class access_kind : std::uint8_t { get, put, accumulate, atomic_read, load, store };

// Bytes [low, high) of the target's displacement space, accessed by `origin`.
struct shadow_access {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::int32_t origin = 0;
  std::uint32_t period = 0;  // the origin's, of its vector clock
  sessions::moment begun{};
  sessions::moment complete{};  // as far as the origin has made sure of it
  access_kind kind = access_kind::get;
  bool by_operation = false;
  bool requested = false;  // a request of MPI's completes what reads, too
  bool in_loop = false;    // may be: then what the next one accesses is kept with it
  bool fetches = false;
  std::optional<atomic_op> op{};  // of an accumulate, but compare_swap
  primitive type = primitive::opaque;
  kept_site at{};
  // Of several accesses that are kept as one: `each` bytes of each, `step` from one to the next.
  std::uint64_t step = 0, each = 0;
};

struct shadow_log_state {
  static constexpr std::size_t capacity = 512;
  sync::group_lock_state lock;
  std::uint32_t used;
  std::uint32_t next;  // where the next entry goes once the log is full
  std::uint32_t last;  // which entry was added
  std::array<shadow_access, capacity> entries;
  target_promises promises;
};

class shadow_log {
 public:
  shadow_log(shadow_log_state& state, int world_rank, const sync::peer_watch& peers) noexcept
      : state_(&state), world_rank_(world_rank), peers_(&peers) {}

  // Notes an access, or returns the entry that it conflicts with, among those for which
  // `comes_before(entry)` is false.
  template <class Order>
  std::optional<shadow_access> note(const shadow_access& made, Order comes_before) noexcept {
    std::optional<shadow_access> found;
    locked([&] {
      found = conflicting(made, comes_before);
      if (!found) add(made);  // what is refused accesses nothing
    });
    return found;
  }
  // The same of several accesses at(0), at(1), …, all of which are noted or none. Returns which it
  // is that conflicts, and with what.
  struct conflict_of {
    std::size_t number;
    shadow_access with;
  };
  template <class At, class Order>
  std::optional<conflict_of> note_all(std::size_t n, At at, Order comes_before) noexcept {
    std::optional<conflict_of> found;
    locked([&] {
      for (std::size_t i = 0; i < n && !found; ++i)
        if (const auto other = conflicting(at(i), comes_before)) found = conflict_of{i, *other};
      for (std::size_t i = 0; i < n && !found; ++i) add(at(i));
    });
    return found;
  }
  // As note(), for an access that another log notes.
  template <class Order>
  std::optional<shadow_access> find(const shadow_access& made, Order comes_before) noexcept {
    std::optional<shadow_access> found;
    locked([&] { found = conflicting(made, comes_before); });
    return found;
  }
  // Finds an accumulate by another rank that has another operation on elements of `made`'s, where
  // nothing is known to order them: what fetches may have seen any that came before.
  template <class Order>
  std::optional<shadow_access> find_other_operation(const shadow_access& made,
                                                    Order comes_before) noexcept {
    std::optional<shadow_access> found;
    locked([&] {
      for (std::uint32_t i = 0; i < state_->used; ++i) {
        const shadow_access& a = state_->entries[i];
        if (!overlap(a, made)) continue;
        if (a.origin == made.origin && (a.fetches || a.kind == access_kind::atomic_read)) {
          found.reset();
          return;
        }
        if (a.origin != made.origin && a.op && made.op && a.op != made.op && !comes_before(a))
          found = a;
      }
    });
    return found;
  }
  // What has been noted last, so, is refused after all.
  void take_back(const shadow_access&) noexcept;
  // The operations of `origin` that are not complete yet are so now, or those alone that read.
  // Calls `already(operation)` with those that another thread has made complete.
  template <class Already>
  void complete(std::int32_t origin, sessions::moment now, bool only_reads,
                Already already) noexcept {
    locked([&] {
      for (std::uint32_t i = 0; i < state_->used; ++i) {
        shadow_access& a = state_->entries[i];
        if (a.origin != origin || is_local(a) || (only_reads && !reads(a))) continue;
        if (a.complete.time == 0)
          a.complete = now;
        else if (a.complete.thread != now.thread)
          already(a);
      }
    });
  }
  // Those of one kind are that have these bytes.
  void complete_access(std::int32_t origin, sessions::moment now, access_kind, std::uint64_t low,
                       std::uint64_t high) noexcept;
  // Those that read and have requests are.
  void complete_requested(std::int32_t origin, sessions::moment now) noexcept;
  // Those loads and stores are that lie in [low, high).
  void complete_local(std::int32_t origin, sessions::moment now, std::uint64_t low,
                      std::uint64_t high) noexcept;

  // Calls `work` with what is promised about the memory, which nobody changes meanwhile.
  template <class Work>
  void with_promises(Work work) noexcept {
    locked([&] { work(state_->promises); });
  }

 private:
  template <class Order>
  std::optional<shadow_access> conflicting(const shadow_access& made,
                                           Order comes_before) const noexcept {
    for (std::uint32_t i = 0; i < state_->used; ++i)
      if (conflict(state_->entries[i], made) && !comes_before(state_->entries[i]))
        return state_->entries[i];
    return std::nullopt;
  }
  template <class Work>
  void locked(Work work) noexcept {
    if (sync::enter(state_->lock, sync::lock_group::exclusive, sync::capacity::one, world_rank_,
                    *peers_) != errc::success)
      return;
    work();
    sync::leave(state_->lock, sync::lock_group::exclusive);
  }
  template <class Which>
  void complete_where(std::int32_t origin, sessions::moment now, Which) noexcept;
  void add(const shadow_access&) noexcept;
  // Whether an entry conflicts with an access, or has bytes of it.
  static bool conflict(const shadow_access&, const shadow_access&) noexcept;
  static bool overlap(const shadow_access&, const shadow_access&) noexcept;
  static bool reads(const shadow_access& a) noexcept {
    return a.kind == access_kind::get || a.kind == access_kind::atomic_read ||
           a.kind == access_kind::load;
  }
  static bool is_local(const shadow_access& a) noexcept {
    return a.kind == access_kind::load || a.kind == access_kind::store;
  }

  shadow_log_state* state_;
  int world_rank_;
  const sync::peer_watch* peers_;
};

// Whether both are of one process, by two threads that are told apart.
bool of_two_threads(const shadow_access&, const shadow_access&) noexcept;
// "a put of rank 3 at main.cpp:12", "the result of an operation of rank 3 at main.cpp:12"
std::string describe(const shadow_access&, sessions::findings&);
std::string words_of(const kept_site&, sessions::findings&);
void keep_site(kept_site&, call_site) noexcept;

}  // namespace oriel::win
