// Passive target: locks, flush and sync.
//
// Which words a lock takes was decided by the promises. Shared locks alone exclude no rank: none.
// Exclusive locks alone: one word a target. Both: the target's word, and for every exclusive lock
// also the window's, where lock_all is the other group; so lock_all takes one word, not one a rank.
#include <atomic>

#include "win/route/peer_words.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/trace/probe.hpp"

namespace oriel::win {
namespace {

bool has_exclusive(const window_core& core) noexcept {
  return core.agreed.promised.has(assertion::exclusive_lock);
}
bool has_both(const window_core& core) noexcept {
  return has_exclusive(core) && core.agreed.promised.has(assertion::shared_lock);
}

errc lock_failed(window_core& core, errc e, rank target) noexcept {
  return core.fail(e, "lock of rank " + std::to_string(target.value) +
                          (e == errc::peer_failed ? ": " + core.group->reason(e)
                           : e == errc::timed_out
                               ? " was not granted within ORIEL_TIMEOUT" + holder_of(core, target)
                               : " failed"));
}

// The window-wide word is kept by the node of the team's first rank.
constexpr rank keeper{0};

errc enter(window_core& core, const epoch_state::held_lock& lock) noexcept {
  if (lock.kind == lock_kind::shared)
    return has_exclusive(core) ? enter_word(core, lock.target, lock_word::target,
                                            sync::lock_group::shared, lock.number, lock.target)
                               : errc::success;
  if (has_both(core)) {
    const errc e = enter_word(core, keeper, lock_word::all, sync::lock_group::exclusive,
                              lock.number, lock.target);
    if (e != errc::success) return e;
  }
  const errc e = enter_word(core, lock.target, lock_word::target, sync::lock_group::exclusive,
                            lock.number, lock.target);
  if (e != errc::success && has_both(core))
    leave_word(core, keeper, lock_word::all, sync::lock_group::exclusive, lock.number);
  return e;
}

void leave(window_core& core, const epoch_state::held_lock& lock) noexcept {
  if (lock.kind == lock_kind::shared) {
    if (has_exclusive(core))
      leave_word(core, lock.target, lock_word::target, sync::lock_group::shared, lock.number);
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
    return;
  }
  leave_word(core, lock.target, lock_word::target, sync::lock_group::exclusive, lock.number);
  if (has_both(core))
    leave_word(core, keeper, lock_word::all, sync::lock_group::exclusive, lock.number);
}

// Owners on other nodes distinguish this process's epochs by it.
[[gnu::always_inline]] inline std::uint32_t number_of_epoch(window_core& core) noexcept {
  return core.routes.remote == nullptr ? 0 : core.routes.remote->next_epoch();
}

// Of window_hot::pending.
errc settle_pending(window_core& core, rank target) noexcept {
  const noted_wait noted(core, wait_cause::completion, target);
  errc e = complete_deferred(core, target);
  if (const errc asked = settle_kernels(core.devices); e == errc::success) e = asked;
  if (core.devices.memory != nullptr)
    if (const errc copied = core.devices.memory->drain(); e == errc::success)
      e = latched(core, copied, target, "a device's copy");
  if (target != any_rank) {
    if (!core.group->has(target))
      return core.fail(errc::rank, "flush of rank " + std::to_string(target.value) + ": " +
                                       core.group->ranks_in_words());
    const errc there = core.routes.to(target).flush(core, target);
    return e == errc::success ? there : e;
  }
  if (core.routes.remote != nullptr) {
    rank failed;
    if (const errc sent = core.routes.remote->flush_all(failed); e == errc::success)
      e = latched(core, sent, failed, "an operation");
  }
  return e;
}

// What is under way to `target`, or to any rank, is complete there afterwards, whatever became of
// the rest; copies of devices are in any case. Returns the first failure.
[[gnu::always_inline]] inline errc settle(window_core& core, rank target) noexcept {
  if (core.hot.pending.load(std::memory_order_acquire) == 0) return errc::success;
  return settle_pending(core, target);
}

errc lock(window_core& core, lock_kind kind, rank target, sync_mode mode, call_site) noexcept {
  ORIEL_PROBE1(lock, core.agreed.id);
  const assertion needed =
      kind == lock_kind::shared ? assertion::shared_lock : assertion::exclusive_lock;
  if (!core.agreed.promised.has(needed))
    return core.fail(errc::not_asserted, "lock needs assertion::" + std::string(name(needed)) +
                                             ", which was not asserted (asserted: " +
                                             to_string(core.agreed.promised) + ")");
  if (!core.group->has(target))
    return core.fail(errc::rank, "lock of rank " + std::to_string(target.value) + ": " +
                                     core.group->ranks_in_words());
  const epoch_state::held_lock opened{target, kind, !mode.has(nocheck), number_of_epoch(core)};
  if (!core.epochs.passive.open(opened))
    return core.fail(errc::rma_sync, "lock of rank " + std::to_string(target.value) +
                                         ": this process has it locked already");
  if (!opened.entered) return errc::success;
  const errc e = enter(core, opened);
  if (e == errc::success) return e;
  epoch_state::held_lock closed;
  core.epochs.passive.close(target, closed);
  return lock_failed(core, e, target);
}

errc unlock(window_core& core, rank target, call_site) noexcept {
  ORIEL_PROBE1(unlock, core.agreed.id);
  epoch_state::held_lock held;
  if (!core.epochs.passive.close(target, held))
    return core.fail(errc::rma_sync, "unlock of rank " + std::to_string(target.value) +
                                         ", which this process has not locked");
  settle(core, target);
  // The unlocking instruction is a full fence: what was put is visible before the lock is free.
  if (held.entered)
    leave(core, held);
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
  return core.first_error();
}

errc lock_all(window_core& core, sync_mode mode, call_site) noexcept {
  ORIEL_PROBE1(lock_all, core.agreed.id);
  const epoch_state::held_lock opened{any_rank, lock_kind::shared,
                                      !mode.has(nocheck) && has_exclusive(core),
                                      number_of_epoch(core)};
  if (!core.epochs.passive.open_all(opened))
    return core.fail(errc::rma_sync, "lock_all: this process has locks on this window already");
  if (!opened.entered) return errc::success;
  const errc e =
      enter_word(core, keeper, lock_word::all, sync::lock_group::shared, opened.number, any_rank);
  if (e == errc::success) return e;
  epoch_state::held_lock closed;
  core.epochs.passive.close_all(closed);
  return lock_failed(core, e, keeper);
}

errc unlock_all(window_core& core, call_site) noexcept {
  ORIEL_PROBE1(unlock_all, core.agreed.id);
  epoch_state::held_lock held;
  if (!core.epochs.passive.close_all(held))
    return core.fail(errc::rma_sync, "unlock_all without lock_all");
  settle(core, any_rank);
  if (held.entered)
    leave_word(core, keeper, lock_word::all, sync::lock_group::shared, held.number);
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
  return core.first_error();
}

errc flush(window_core& core, rank target, flush_scope scope, call_site) noexcept {
  ORIEL_PROBE1(flush, core.agreed.id);
  // Within the node local completion needs nothing: every route has read the source and written
  // the result. Between nodes, and in packets, an operation is complete here when it is there.
  settle(core, target);
  if (scope == flush_scope::target) std::atomic_thread_fence(std::memory_order_seq_cst);
  return core.first_error();
}

errc sync_memory(window_core& core, call_site) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return core.first_error();
}

}  // namespace

void fill_passive_slots(operation_table& table) {
  table.lock = lock;
  table.unlock = unlock;
  table.lock_all = lock_all;
  table.unlock_all = unlock_all;
  table.flush = flush;
  table.sync = sync_memory;
}

}  // namespace oriel::win
