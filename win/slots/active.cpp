// Active target: fence, and post, start, complete, wait.
#include <atomic>
#include <new>
#include <vector>

#include "win/route/peer_words.hpp"
#include "win/slots/slots.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/trace/probe.hpp"

namespace oriel::win {
namespace {

using detail::team_state;

errc synchronized(window_core& core, errc result, const char* what,
                  const std::string& awaited = "a rank") noexcept {
  switch (result) {
    case errc::success:
      return core.first_error();
    case errc::peer_failed:
      return core.fail(result, std::string(what) + ": " + core.group->reason(result));
    case errc::timed_out:
      return core.fail(result, std::string(what) + ": " + awaited +
                                   ", alive, did not do its part within ORIEL_TIMEOUT");
    case errc::rma_sync:
      return core.fail(result, std::string(what) + " does not fit the epochs that are open");
    case errc::rank:
      return core.fail(result, std::string(what) +
                                   ": the group names a rank twice, or one that a "
                                   "team of " +
                                   std::to_string(core.ranks()) + " does not have");
    default:  // that of an operation has been latched with its own text
      return core.first_error() == result ? result
                                          : core.fail(result, std::string(what) + " failed");
  }
}

// What waits here, and what is under way to other nodes and by devices: all of it, whatever became
// of the rest, since the others are told that it is done. Returns the first failure.
errc settle(window_core& core, kept_letter::by end) noexcept {
  errc e = enclose_deferred(core, end);
  if (const errc asked = settle_kernels(core.devices); e == errc::success) e = asked;
  if (core.devices.memory != nullptr)
    if (const errc copied = core.devices.memory->drain(); e == errc::success) e = copied;
  if (core.routes.remote == nullptr) return e;
  const noted_wait noted(core, wait_cause::completion);
  rank failed;
  errc sent = core.routes.remote->flush_all(failed);
  if (sent == errc::rma_range) sent = latched(core, sent, failed, "an operation");
  return e == errc::success ? sent : e;
}

// Whom a fence that has timed out waited for, as far as this rank knows.
std::string awaited_by_fence(const window_core& core) {
  const team_state& group = *core.group;
  if (const int node_rank = core.epochs.barrier->absent(); node_rank >= 0)
    return "rank " + std::to_string(group.node_members()[static_cast<std::size_t>(node_rank)]);
  if (!core.epochs.between)
    return core.routes.remote == nullptr ? "a rank" : "a rank of another node";
  const std::span<const int> ranks = group.where().ranks_on(core.epochs.between->awaited());
  return ranks.size() == 1 ? "rank " + std::to_string(ranks.front())
                           : "some rank of the node of rank " + std::to_string(ranks.front());
}

// The failure of the rank that leads must not be lost in the node's own barrier.
errc meet_other_nodes(window_core& core) noexcept {
  auto& outcome = *core.shared<std::atomic<std::int32_t>>(core.memory.layout.between);
  if (core.epochs.between)
    if (const errc e = core.epochs.between->barrier({}); e != errc::success)
      outcome.store(static_cast<std::int32_t>(e), std::memory_order_release);
  const errc met = core.epochs.barrier->arrive_and_wait();
  return met != errc::success ? met : static_cast<errc>(outcome.load(std::memory_order_acquire));
}

errc meet(window_core& core) noexcept {
  if (const errc before = core.epochs.fences_failed.load(std::memory_order_relaxed);
      before != errc::success)
    return before;
  const noting noted(core.notes.fence);
  errc met = core.epochs.barrier->arrive_and_wait();
  if (core.routes.remote != nullptr && met == errc::success) met = meet_other_nodes(core);
  if (met != errc::success) core.epochs.fences_failed.store(met, std::memory_order_relaxed);
  return met;
}

// Within a node an operation is complete at the target when it returns, or at the latest when the
// full fence inside the barrier has drained this core's stores, or its owner carries it out when it
// has left the barrier (route/kept_letter.hpp); so a fence is a barrier. Between
// nodes operations are made complete first.
errc fence(window_core& core, sync_mode mode, call_site) noexcept {
  ORIEL_PROBE1(fence, core.agreed.id);
  if (core.epochs.passive.any()) return synchronized(core, errc::rma_sync, "fence");
  errc e = settle(core, kept_letter::by::fence);
  errc met = errc::timed_out;
  // An operation of this rank's that has failed is no reason to let the others wait.
  if (e != errc::timed_out) {
    met = meet(core);
    if (e == errc::success) e = met;
  }
  open_letters_of_fence(core, met == errc::success);
  core.epochs.fences.fetch_add(1, std::memory_order_relaxed);
  core.epochs.fence_open.store(!mode.has(nosucceed), std::memory_order_relaxed);
  return synchronized(core, e, "fence", e == errc::timed_out ? awaited_by_fence(core) : "");
}

errc start_epoch(window_core& core, std::span<const rank> targets) {
  if (core.epochs.pscw->accessing()) return errc::rma_sync;
  const noting noted(core.notes.start);
  const errc e = await_posts_of(core, targets);
  if (e == errc::success) core.epochs.started.assign(targets.begin(), targets.end());
  return e;
}

errc complete_epoch(window_core& core) {
  if (!core.epochs.pscw->accessing()) return errc::rma_sync;
  const errc e = settle(core, kept_letter::by::completion);
  const errc told = complete_at(core, core.epochs.started);
  core.epochs.started.clear();
  return e == errc::success ? told : e;
}

template <class Work>
errc with_memory(Work work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return errc::no_mem;
  }
}

errc post(window_core& core, std::span<const rank> origins, sync_mode, call_site) noexcept {
  ORIEL_PROBE1(post, core.agreed.id);
  const errc e = with_memory([&] { return post_to(core, origins); });
  if (e == errc::success) core.epochs.only_origin = origins.size() == 1 ? origins[0] : any_rank;
  return synchronized(core, e, "post");
}

errc start(window_core& core, std::span<const rank> targets, sync_mode, call_site) noexcept {
  ORIEL_PROBE1(start, core.agreed.id);
  return synchronized(core, with_memory([&] { return start_epoch(core, targets); }), "start");
}

errc complete(window_core& core, call_site) noexcept {
  ORIEL_PROBE1(complete, core.agreed.id);
  return synchronized(core, with_memory([&] { return complete_epoch(core); }), "complete");
}

errc wait(window_core& core, bool* done, call_site) noexcept {
  ORIEL_PROBE1(wait, core.agreed.id);
  // A wait makes progress; so does a test, since no other thread may.
  if (done != nullptr && core.routes.remote != nullptr) core.routes.remote->way().progress();
  const noting noted(core.notes.wait);
  const errc e = core.epochs.pscw->wait(done);
  if (e == errc::success && !core.epochs.pscw->exposing()) open_letter_of_wait(core);
  return synchronized(core, e, done == nullptr ? "wait" : "test");
}

}  // namespace

void fill_active_slots(operation_table& table) {
  table.fence = fence;
  table.post = post;
  table.start = start;
  table.complete = complete;
  table.wait = wait;
}

}  // namespace oriel::win
