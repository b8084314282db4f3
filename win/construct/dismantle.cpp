#include "win/construct/dismantle.hpp"

#include "transport/agent.hpp"
#include "win/adversary/adversary.hpp"
#include "win/check/guarded_memory.hpp"
#include "win/check/order_places.hpp"
#include "win/check/report_misuse.hpp"
#include "win/check/same_memory.hpp"
#include "win/check/stream_checks.hpp"
#include "win/check/watched_memory.hpp"
#include "win/closed_window.hpp"
#include "win/statistics/report.hpp"

namespace oriel::win {

using detail::window_core;
using sessions::collective;
using sessions::collective_call;

void depart(window_core& core, afterwards who) noexcept {
  core.devices.pinned.reset();
  if (core.routes.remote != nullptr && who == afterwards::some_rank)
    core.routes.remote->stay_exposed();
  if (core.routes.remote != nullptr) core.routes.remote->close();
  if (core.agreed.plan.agent) core.group->session().extension<transport::agent>().remove(&core);
  core.memory.own_book.reset();
  core.counts.close(core);
  if (who == afterwards::some_rank) core.memory.room.leave_behind();
  core.memory.room.give_back();
}

void give_up_after_a_death(window_core& core) noexcept {
  if (core.devices.memory != nullptr) core.devices.memory->close();
  depart(core, part_from_survivors(core, errc::peer_failed));
}

namespace {

// Ends the epochs that this process has left open, so that no other rank waits for a lock or a
// completion that never comes. False when there were none; fence's do not count, which the last
// fence of a program opens as it ends the one before.
bool end_epochs(window_core& core) noexcept {
  const detail::operation_table& ops = *core.view.ops;
  const bool exposed = core.epochs.pscw && core.epochs.pscw->exposing();
  const bool accessing = core.epochs.pscw && core.epochs.pscw->accessing();
  if (!core.epochs.passive.any() && !accessing && !exposed) return false;
  static_cast<void>(core.fail(errc::rma_sync, std::string("free inside an open epoch (") +
                                                  (core.epochs.passive.all()   ? "lock_all"
                                                   : core.epochs.passive.any() ? "a lock"
                                                   : accessing ? "start without complete"
                                                               : "post without wait") +
                                                  "), which free has ended"));
  if (core.epochs.passive.all()) static_cast<void>(ops.unlock_all(core, call_site{}));
  while (const auto target = core.epochs.passive.some_target())
    static_cast<void>(ops.unlock(core, *target, call_site{}));
  if (accessing) static_cast<void>(ops.complete(core, call_site{}));
  return true;
}

}  // namespace

status dismantle(std::unique_ptr<window_core> core) noexcept {
  const bool epochs_open = end_epochs(*core);
  if (core->adversary != nullptr) core->adversary->complete(any_rank);
  errc result = core->first_error();
  // Memory of the caller's may be freed on return, so no rank may be accessing it. Memory of
  // oriel's lives until the last rank has departed, so no rank of the node needs to wait; but other
  // nodes reach it through this process, and so do all where an agent serves or memory is a
  // device's.
  if (const errc e = complete_deferred(*core); result == errc::success) result = e;
  open_letters_of_fence(*core, false);
  if (const errc e = settle_kernels(core->devices); result == errc::success) result = e;
  rank failed;
  if (core->routes.remote != nullptr)
    if (const errc e = core->routes.remote->flush_all(failed); result == errc::success) result = e;
  core->devices.serving.store(nullptr, std::memory_order_release);
  // Others' requests lie in what is pinned, until all have met.
  std::unique_ptr<pinned_memory> pinned;
  if (core->devices.kernels != nullptr) pinned = core->devices.kernels->take_pinned();
  core->devices.kernels.reset();
  if (core->agreed.checked)
    if (const errc e = check_left_to_streams(*core, any_rank, "free", {}); e != errc::success) {
      report_misuse(*core, e, {});
      if (result == errc::success) result = e;
    }
  core->devices.streams.reset();
  if (core->devices.memory != nullptr)
    if (const errc e = core->devices.memory->drain(); result == errc::success) result = e;
  const collective_call freeing{.kind = collective::free,
                                .subject = static_cast<std::uint32_t>(core->agreed.id)};
  const bool served =
      core->routes.remote != nullptr || core->agreed.plan.agent || core->agreed.plan.device;
  errc met = errc::success;
  // Under the checks the ranks see that they free the same window.
  if ((core->agreed.how == flavor::create && core->ranks() > 1) || served || core->agreed.checked)
    met = core->group->barrier(freeing);
  if (core->agreed.checked) {
    clock_of(*core).learn_everything();
    core->group->session().extension<watched_memory>().remove(*core);
    core->group->session().extension<same_memory>().remove(*core);
    if (guarded_memory* const guard = guarded_memory::of(core->group->session()))
      guard->remove(*core);
  }
  // Owners free memory of devices after all have closed it.
  if (core->agreed.plan.device && core->devices.memory != nullptr) core->devices.memory->close();
  if (core->agreed.plan.device && met == errc::success) met = core->group->barrier(freeing);
  const afterwards who =
      met == errc::success ? afterwards::no_rank : part_from_survivors(*core, met);
  if (who == afterwards::some_rank && core->agreed.how == flavor::create &&
      met != errc::mismatched_collective)
    met = errc::timed_out;
  pinned.reset();
  report_statistics(*core);
  depart(*core, who);
  if (epochs_open) keep_for_open_epochs(std::move(core));
  return result == errc::success ? met : result;
}

}  // namespace oriel::win
