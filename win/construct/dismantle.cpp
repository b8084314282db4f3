#include "win/construct/dismantle.hpp"

#include "transport/agent.hpp"
#include "win/closed_window.hpp"

namespace oriel::win {

using detail::window_core;
using sessions::collective;
using sessions::collective_call;

void depart(window_core& core, afterwards who) noexcept {
  core.pinned.reset();
  if (core.remote != nullptr && who == afterwards::somebody) core.remote->stay_exposed();
  if (core.remote != nullptr) core.remote->close();
  if (core.plan.agent) core.group->session().extension<transport::agent>().remove(&core);
  core.own_book.reset();
  if (who == afterwards::somebody) core.room.leave_behind();
  core.room.give_back();
}

void give_up_after_a_death(window_core& core) noexcept {
  if (core.device != nullptr) core.device->close();
  depart(core, part_from_survivors(core, errc::peer_failed));
}

namespace {

// Ends the epochs that this process has left open, so that no other rank waits for a lock or a
// completion that never comes. False when there were none; fence's do not count, which the last
// fence of a program opens as it ends the one before.
bool end_epochs(window_core& core) noexcept {
  const detail::operation_table& ops = *core.view.ops;
  const bool exposed = core.pscw && core.pscw->exposing();
  const bool accessing = core.pscw && core.pscw->accessing();
  if (!core.epochs.any() && !accessing && !exposed) return false;
  static_cast<void>(core.fail(errc::rma_sync, std::string("free inside an open epoch (") +
                                                  (core.epochs.all()   ? "lock_all"
                                                   : core.epochs.any() ? "a lock"
                                                   : accessing         ? "start without complete"
                                                                       : "post without wait") +
                                                  "), which free has ended"));
  if (core.epochs.all()) static_cast<void>(ops.unlock_all(core, call_site{}));
  while (const auto target = core.epochs.some_target())
    static_cast<void>(ops.unlock(core, *target, call_site{}));
  if (accessing) static_cast<void>(ops.complete(core, call_site{}));
  return true;
}

}  // namespace

status dismantle(std::unique_ptr<window_core> core) noexcept {
  const bool epochs_open = end_epochs(*core);
  errc result = core->first_error();
  // Memory of the caller's may be freed on return, so nobody may be accessing it. Memory of oriel's
  // lives until the last rank has departed, so nobody on the node needs to wait; but other nodes
  // reach it through this process, and so do all where an agent serves or memory is a device's.
  if (core->remote != nullptr)
    if (const errc e = core->remote->flush_all(); result == errc::success) result = e;
  core->kernels.reset();
  if (core->device != nullptr)
    if (const errc e = core->device->drain(); result == errc::success) result = e;
  const collective_call freeing{.kind = collective::free,
                                .subject = static_cast<std::uint32_t>(core->id)};
  const bool served = core->remote != nullptr || core->plan.agent || core->plan.device;
  errc met = errc::success;
  // Under the checks the ranks see that they free the same window.
  if ((core->how == flavor::create && core->ranks() > 1) || served || core->checked)
    met = core->group->barrier(freeing);
  // Owners free memory of devices after all have closed it.
  if (core->plan.device && core->device != nullptr) core->device->close();
  if (core->plan.device && met == errc::success) met = core->group->barrier(freeing);
  const afterwards who =
      met == errc::success ? afterwards::nobody : part_from_survivors(*core, met);
  if (who == afterwards::somebody && core->how == flavor::create &&
      met != errc::mismatched_collective)
    met = errc::timed_out;
  depart(*core, who);
  if (epochs_open) keep_for_open_epochs(std::move(core));
  return result == errc::success ? met : result;
}

}  // namespace oriel::win
