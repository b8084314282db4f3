// Active target: fence, and post, start, complete, wait.
#include <atomic>

#include "win/slots.hpp"

namespace oriel::win {
namespace {

errc synchronized(window_core& core, errc result, const char* what) noexcept {
  switch (result) {
    case errc::success:
      return core.first_error();
    case errc::peer_failed:
      return core.fail(result, std::string(what) + ": gone are " + core.group->gone());
    case errc::rma_sync:
      return core.fail(result, std::string(what) + " does not fit the epochs that are open");
    case errc::rank:
      return core.fail(result, std::string(what) +
                                   ": the group names a rank twice, or one that a "
                                   "team of " +
                                   std::to_string(core.ranks()) + " does not have");
    default:
      return core.fail(result, std::string(what) + " failed");
  }
}

// On every route an operation is complete at the target when it returns, or at the latest when the
// full fence inside the barrier has drained this core's stores; so a fence is a barrier.
errc fence(window_core& core, sync_mode mode, call_site) noexcept {
  if (core.epochs.any()) return synchronized(core, errc::rma_sync, "fence");
  const errc e = core.barrier->arrive_and_wait();
  core.fences.fetch_add(1, std::memory_order_relaxed);
  core.fence_open.store(!mode.has(nosucceed), std::memory_order_relaxed);
  return synchronized(core, e, "fence");
}

errc post(window_core& core, std::span<const rank> origins, sync_mode, call_site) noexcept {
  return synchronized(core, core.pscw->post(origins), "post");
}

errc start(window_core& core, std::span<const rank> targets, sync_mode, call_site) noexcept {
  return synchronized(core, core.pscw->start(targets), "start");
}

errc complete(window_core& core, call_site) noexcept {
  return synchronized(core, core.pscw->complete(), "complete");
}

errc wait(window_core& core, bool* done, call_site) noexcept {
  return synchronized(core, core.pscw->wait(done), done == nullptr ? "wait" : "test");
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
