// What a window does besides moving data: epochs, completion, failures and what was agreed. The
// part of `window<T, A>` that does not depend on T.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <utility>

#include "oriel/any_window.hpp"
#include "oriel/assertion.hpp"
#include "oriel/epoch.hpp"

namespace oriel {

// A fixed set must promise the assertion; a set that is given at run time is checked there. The
// compiler's message names the assertion that is missing.
template <assertion_set A, assertion Needed>
concept promises = A == at_run_time || A.has(Needed);
// As above, any one of several.
template <assertion_set A, assertion... Needed>
concept promises_any = A == at_run_time || (A.has(Needed) || ...);

template <assertion_set A>
class synchronization {
 public:
  // --- Synchronization
  // Collective. Ends the fence epoch and begins the next (MPI-4.1 §12.5.1).
  status fence(sync_mode mode = no_mode,
               call_site at = call_site::here()) noexcept requires promises<A, assertion::fence> {
    return any_.fence(mode, at);
  }
  // Exposes this rank's memory to `origins` until `wait` (MPI-4.1 §12.5.2).
  status post(std::span<const rank> origins, sync_mode mode = no_mode,
              call_site at = call_site::here()) noexcept requires promises<A, assertion::pscw> {
    return any_.post(origins, mode, at);
  }
  // Waits for the exposure of every rank of `targets`. The epoch's end is MPI's complete.
  epoch start(std::span<const rank> targets, sync_mode mode = no_mode,
              call_site at = call_site::here()) noexcept requires promises<A, assertion::pscw> {
    return {
        any_.start(targets, mode, at), epoch::kind::start, *view().core, *view().ops, rank{}, at};
  }
  // Blocks until every origin of the exposure has ended its epoch; `test` returns at once whether
  // they have. It is true, too, once there is nothing to wait for: where an origin has died, or a
  // call on the window has failed. Then `failure` says what, and the next call that synchronizes
  // returns it.
  status wait(call_site at = call_site::here()) noexcept requires promises<A, assertion::pscw> {
    return any_.wait(at);
  }
  [[nodiscard]] bool test(
      call_site at = call_site::here()) noexcept requires promises<A, assertion::pscw> {
    return any_.test(at);
  }
  // Passive target (MPI-4.1 §12.5.3). Exclusive locks exclude every other lock, real for oneself
  // too.
  epoch lock_shared(rank r, sync_mode mode = no_mode, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::shared_lock> {
    return {any_.lock(lock_kind::shared, r, mode, at),
            epoch::kind::lock,
            *view().core,
            *view().ops,
            r,
            at};
  }
  epoch lock_exclusive(rank r, sync_mode mode = no_mode, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::exclusive_lock> {
    return {any_.lock(lock_kind::exclusive, r, mode, at),
            epoch::kind::lock,
            *view().core,
            *view().ops,
            r,
            at};
  }
  // A shared lock on every rank.
  epoch lock_all(sync_mode mode = no_mode, call_site at = call_site::here()) noexcept requires
      promises<A, assertion::shared_lock> {
    return {any_.lock_all(mode, at), epoch::kind::lock_all, *view().core, *view().ops, rank{}, at};
  }
  // Every operation of this process to `r`, from any thread, is complete at the target; a full
  // fence orders it with what follows, so Dekker's algorithm between two ranks works. Returns the
  // window's first failure.
  status flush(rank r, call_site at = call_site::here()) noexcept requires
      promises_any<A, assertion::shared_lock, assertion::exclusive_lock> {
    if constexpr (fixed) {
      if (idle()) [[likely]]
        return full_fence();
    }
    return any_.flush(r, flush_scope::target, at);
  }
  status flush_all(call_site at = call_site::here()) noexcept requires
      promises_any<A, assertion::shared_lock, assertion::exclusive_lock> {
    return flush(any_rank, at);
  }
  // Sources reusable and results usable, no more.
  status flush_local(rank r, call_site at = call_site::here()) noexcept requires
      promises_any<A, assertion::shared_lock, assertion::exclusive_lock> {
    return any_.flush(r, flush_scope::local, at);
  }
  status flush_local_all(call_site at = call_site::here()) noexcept requires
      promises_any<A, assertion::shared_lock, assertion::exclusive_lock> {
    return any_.flush(any_rank, flush_scope::local, at);
  }
  // Orders this rank's loads and stores of window memory with other ranks' operations.
  status sync(call_site at = call_site::here()) noexcept { return any_.sync(at); }

  // --- What was agreed
  [[nodiscard]] team members() const { return any_.members(); }
  [[nodiscard]] assertion_set assertions() const noexcept { return any_.assertions(); }
  [[nodiscard]] const std::string& name() const noexcept { return any_.name(); }
  [[nodiscard]] info hints() const { return any_.hints(); }
  [[nodiscard]] std::string explain() const { return any_.explain(); }
  [[nodiscard]] std::string failure() const { return any_.failure(); }
  [[nodiscard]] std::string first_failure() const { return any_.first_failure(); }
  void clear_failure() noexcept { any_.clear_failure(); }
  // Collective: no rank accesses the window afterwards. Returns the window's first failure. Locks
  // that this rank still holds are given back and its start is completed, so that nobody waits for
  // them, and that is rma_sync; objects of such epochs end with errc::win. Does nothing to a window
  // that is not valid. After the death of a rank, peer_failed: those that live are kept from
  // accessing this rank's memory, and fail with rma_sync if they try; memory given to create may be
  // reused, which waits until the ranks of this node have freed the window too. timed_out: they
  // have not within ORIEL_TIMEOUT; mismatched_collective: the ranks called different collectives;
  // they may still access memory given to create. Ranks of one node do not wait for each other to
  // free memory of oriel's, except under ORIEL_CHECK=1. The destructor does the same.
  status free() noexcept { return any_.free(); }
  // False once it has been freed or moved from, and before it was made: every call then returns or
  // throws errc::win, or finds nothing (an empty span, a count of 0). The one exception are put,
  // get and atomics of a static window that promises remote_load_store: they make no check, and end
  // the process with SIGSEGV unless it was built with -DORIEL_CHECKED.
  [[nodiscard]] bool valid() const noexcept { return any_.valid(); }

 protected:
  synchronization() noexcept = default;
  explicit synchronization(any_window&& any) noexcept : any_(std::move(any)) {}
  [[nodiscard]] const detail::window_view& view() const noexcept { return any_.view(); }

  any_window any_;

 private:
  static constexpr bool fixed = A != at_run_time;
  [[nodiscard]] bool idle() const noexcept {
    return detail::always_mapped(A) || view().hot->pending.load(std::memory_order_relaxed) == 0;
  }
  status full_fence() const noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return static_cast<errc>(view().hot->first_error.load(std::memory_order_relaxed));
  }
};

}  // namespace oriel
