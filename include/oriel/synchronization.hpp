// Epochs, completion, failures and what construction agreed on: the part of `window<T, A>` that
// does not depend on T.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <utility>

#include "oriel/any_window.hpp"
#include "oriel/assertion.hpp"
#include "oriel/epoch.hpp"

namespace oriel {

// Requires: a fixed set promises the assertion; a set that is given at run time is tested there.
// The compiler's message names the assertion that is missing.
template <assertion_set A, assertion Needed>
concept promises = A == at_run_time || A.has(Needed);
// As above, any one of several.
template <assertion_set A, assertion... Needed>
concept promises_any = A == at_run_time || (A.has(Needed) || ...);

// Requires: how many elements a rank has does not change.
template <assertion_set A>
concept fixed_parts = A == at_run_time || !A.has(assertion::attach);

template <assertion_set A>
class synchronization {
 public:
  // --- Synchronization
  // Every call returns its own failure, or else the window's first: rma_sync for an epoch that does
  // not fit those that are open; peer_failed when a rank that it waits for has died, has left or is
  // cut off; timed_out when one that is alive does not do its part within ORIEL_TIMEOUT; no_mem.
  //
  // Ends the fence epoch and begins the next (MPI-4.1 §12.5.1). Collective. Blocks until every rank
  // has called it. Complete at the targets: every operation of every rank in the epoch. Returns
  // rma_sync while this process holds a lock on the window. After one for which this rank has
  // waited in vain (timed_out, peer_failed) all later ones return its code at once, clear_failure
  // or not.
  status fence(sync_mode mode = no_mode,
               call_site at = call_site::here()) noexcept requires promises<A, assertion::fence> {
    return any_.fence(mode, at);
  }
  // Exposes this rank's memory to `origins` until `wait` (MPI-4.1 §12.5.2). Does not block. Returns
  // rank where `origins` names a rank twice, or one that the team does not have; rma_sync while an
  // exposure is open.
  status post(std::span<const rank> origins, sync_mode mode = no_mode,
              call_site at = call_site::here()) noexcept requires promises<A, assertion::pscw> {
    return any_.post(origins, mode, at);
  }
  // Returns an access epoch to `targets`, whose end is MPI's complete. Blocks until every target
  // has posted to this rank. epoch::opened is rank as for post, and rma_sync while another is open.
  epoch start(std::span<const rank> targets, sync_mode mode = no_mode,
              call_site at = call_site::here()) noexcept requires promises<A, assertion::pscw> {
    return {
        any_.start(targets, mode, at), epoch::kind::start, *seen().core, *seen().ops, rank{}, at};
  }
  // Ends the exposure. Blocks until every origin has ended its epoch; their operations are complete
  // here. Returns rma_sync without an exposure.
  status wait(call_site at = call_site::here()) noexcept requires promises<A, assertion::pscw> {
    return any_.wait(at);
  }
  // Returns at once whether every origin has ended its epoch, and if so has ended the exposure.
  // True too when waiting is in vain: an origin has died, or a call on the window has failed.
  // failure() then explains, and the next call that synchronizes returns the code.
  [[nodiscard]] bool test(
      call_site at = call_site::here()) noexcept requires promises<A, assertion::pscw> {
    return any_.test(at);
  }
  // Return an access epoch to `r` (MPI-4.1 §12.5.3). Block until the lock is granted, unless `mode`
  // has nocheck; an exclusive lock excludes every other lock on `r`, also where `r` is this rank.
  // epoch::opened is rank for a rank that the team does not have, rma_sync while this process has
  // `r` locked or lock_all open.
  epoch lock_shared(rank r, sync_mode mode = no_mode, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::shared_lock> {
    return {any_.lock(lock_kind::shared, r, mode, at),
            epoch::kind::lock,
            *seen().core,
            *seen().ops,
            r,
            at};
  }
  epoch lock_exclusive(rank r, sync_mode mode = no_mode, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::exclusive_lock> {
    return {any_.lock(lock_kind::exclusive, r, mode, at),
            epoch::kind::lock,
            *seen().core,
            *seen().ops,
            r,
            at};
  }
  // Returns an access epoch to every rank: a shared lock on each. Blocks likewise. epoch::opened is
  // rma_sync while this process holds any lock on the window.
  epoch lock_all(sync_mode mode = no_mode, call_site at = call_site::here()) noexcept requires
      promises<A, assertion::shared_lock> {
    return {any_.lock_all(mode, at), epoch::kind::lock_all, *seen().core, *seen().ops, rank{}, at};
  }
  // Complete at the target: every operation of this process to `r`, from any thread. Blocks until
  // then. A full fence orders them with what follows, so Dekker's algorithm between two ranks
  // works.
  // Requires, as the next three do: the team has the rank; this process has a lock or lock_all open
  // on the window.
  status flush(rank r, call_site at = call_site::here()) noexcept requires
      promises_any<A, assertion::shared_lock, assertion::exclusive_lock> {
    if constexpr (fixed) {
      if (idle() && fences_without_failure()) [[likely]]
        return {};
    }
    return any_.flush(r, flush_scope::target, at);
  }
  status flush_all(call_site at = call_site::here()) noexcept requires
      promises_any<A, assertion::shared_lock, assertion::exclusive_lock> {
    return flush(any_rank, at);
  }
  // Sources reusable and results usable, of every operation of this process to `r`; no more. Blocks
  // until then.
  status flush_local(rank r, call_site at = call_site::here()) noexcept requires
      promises_any<A, assertion::shared_lock, assertion::exclusive_lock> {
    return any_.flush(r, flush_scope::local, at);
  }
  status flush_local_all(call_site at = call_site::here()) noexcept requires
      promises_any<A, assertion::shared_lock, assertion::exclusive_lock> {
    return any_.flush(any_rank, flush_scope::local, at);
  }
  // Orders this rank's loads and stores of window memory with other ranks' operations: a full
  // fence.
  status sync(call_site at = call_site::here()) noexcept { return any_.sync(at); }

  // --- What was agreed: see any_window
  [[nodiscard]] team members() const { return any_.members(); }
  [[nodiscard]] assertion_set assertions() const noexcept { return any_.assertions(); }
  [[nodiscard]] const std::string& name() const noexcept { return any_.name(); }
  [[nodiscard]] info hints() const { return any_.hints(); }
  [[nodiscard]] std::string explain() const { return any_.explain(); }
  [[nodiscard]] window_statistics statistics() const noexcept { return any_.statistics(); }
  [[nodiscard]] std::string failure() const { return any_.failure(); }
  [[nodiscard]] std::string first_failure() const { return any_.first_failure(); }
  void clear_failure() noexcept { any_.clear_failure(); }
  // Collective; the destructor does the same. Does nothing to a window that is not valid().
  // Requires: no rank accesses the window afterwards.
  // Blocks until every rank has called it. Exception: a window on one node over host memory that
  // oriel has allocated, unless ORIEL_CHECK=1. Memory given to create may be reused on return.
  // Complete at the targets: every operation of this rank. Epochs that this rank has open are
  // ended, so that no other rank waits for them.
  // Returns the window's first failure, whose text or_throw() has (failure() knows of no window
  // any more), or
  //   rma_sync               an epoch was open; its object's end() returns win
  //   peer_failed            a rank has died. Memory given to create may be reused: ranks that are
  //                          alive can access it no more, and get rma_sync if they try
  //   timed_out              ranks have not freed the window within ORIEL_TIMEOUT;
  //   mismatched_collective  or have called another collective: they may still access memory that
  //                          was given to create
  status free() noexcept { return any_.free(); }
  // Returns false for a window that has been freed or moved from, or was never made. Every call on
  // it then returns or throws errc::win, or returns an empty span or a count of 0. The exception:
  // put, get and atomics of a static window that promises remote_load_store make no test, and end
  // the process with SIGSEGV unless it was built with -DORIEL_CHECKED.
  [[nodiscard]] bool valid() const noexcept { return any_.valid(); }

 protected:
  synchronization() noexcept = default;
  explicit synchronization(any_window&& any) noexcept : any_(std::move(any)) {}
  [[nodiscard]] const detail::window_view& seen() const noexcept { return any_.view(); }
  // Has all that this process has begun to `r` complete there; nothing where nothing is under way.
  status arrive(rank r, call_site at) noexcept {
    return idle() ? status{} : any_.flush(r, flush_scope::target, at);
  }

  any_window any_;

 private:
  static constexpr bool fixed = A != at_run_time;
  [[nodiscard]] bool idle() const noexcept {
    return detail::always_mapped(A) || seen().hot->pending.load(std::memory_order_relaxed) == 0;
  }
  [[nodiscard]] bool fences_without_failure() const noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return seen().hot->first_error.load(std::memory_order_relaxed) == 0;
  }
};

}  // namespace oriel
