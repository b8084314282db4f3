// Notification: a put that is counted at its target.
#include "sync/notify_counter.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {
namespace {

errc check_counter(window_core& core, std::size_t counter) noexcept {
  if (counter < core.agreed.notify_counters) return errc::success;
  return core.fail(errc::arg, "notification counter " + std::to_string(counter) +
                                  "; the window has " +
                                  std::to_string(core.agreed.notify_counters) +
                                  " (window_options::notify_counters)");
}

errc put_notify(window_core& core, rank r, disp i, const void* values, std::size_t n,
                std::size_t counter, call_site where) noexcept {
  errc e = check_notification(core, r, n, counter);
  if (e == errc::success)
    e = core.routes.to(r).notify(core, {r, i, values, n, {static_cast<std::uint32_t>(counter)}},
                                 where);
  if (e != errc::success) refuse_notification(core, r, counter, e);
  return e;
}

errc wait_notify(window_core& core, std::size_t counter, std::uint64_t at_least,
                 call_site) noexcept {
  if (const errc e = check_counter(core, counter); e != errc::success) return e;
  sync::notify_counter_state& mine = core.counter(core.me(), counter);
  const sync::peer_watch& watch = core.group->watch();
  const errc e = core.routes.remote == nullptr
                     ? mine.wait_at_least(at_least, watch)
                     : core.routes.remote->await_notifications(mine, at_least, watch);
  if (e == errc::success) return e;
  const std::string awaited = "wait_notify: counter " + std::to_string(counter) +
                              " did not come to " + std::to_string(at_least);
  if (sessions::is_misuse(e))
    return core.fail(e, awaited + ": a put_notify was refused to the rank that called it");
  return core.fail(e, e == errc::timed_out ? awaited + " within ORIEL_TIMEOUT"
                                           : "wait_notify: " + core.group->reason(e));
}

errc read_notify(window_core& core, std::size_t counter, std::uint64_t* value, call_site) noexcept {
  if (const errc e = check_counter(core, counter); e != errc::success) return e;
  *value = core.counter(core.me(), counter).read();
  return errc::success;
}

}  // namespace

errc check_notification(window_core& core, rank r, std::size_t n, std::size_t counter) noexcept {
  if (!core.group->has(r))
    return core.fail(errc::rank, "put_notify to rank " + std::to_string(r.value) + ": " +
                                     core.group->ranks_in_words());
  if (const errc e = check_counter(core, counter); e != errc::success) return e;
  if (n <= 1 || core.agreed.promised.has(assertion::multi_element)) return errc::success;
  return core.fail(errc::not_asserted,
                   "put_notify of " + std::to_string(n) +
                       " elements needs assertion::multi_element, which was not asserted "
                       "(asserted: " +
                       to_string(core.agreed.promised) + ")");
}

void refuse_notification(window_core& core, rank r, std::size_t counter, errc why) noexcept {
  if (core.group->has(r) && counter < core.agreed.notify_counters)
    core.routes.to(r).refuse_notify(core, r, {static_cast<std::uint32_t>(counter)}, why);
}

void fill_notify_slots(operation_table& table) {
  table.put_notify = put_notify;
  table.wait_notify = wait_notify;
  table.read_notify = read_notify;
}

}  // namespace oriel::win
