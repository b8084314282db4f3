// Notification: a put that is counted at its target.
#include "sync/notify_counter.hpp"
#include "win/slots.hpp"
#include "win/target.hpp"

namespace oriel::win {
namespace {

errc check_counter(window_core& core, std::size_t counter) noexcept {
  if (counter < core.notify_counters) return errc::success;
  return core.fail(errc::arg, "notification counter " + std::to_string(counter) +
                                  "; the window has " + std::to_string(core.notify_counters) +
                                  " (window_options::notify_counters)");
}

errc check_target(window_core& core, rank r, std::size_t counter) noexcept {
  if (core.group->has(r)) return check_counter(core, counter);
  return core.fail(errc::rank, "put_notify to rank " + std::to_string(r.value) + ": " +
                                   core.group->ranks_in_words());
}

// A refused put is not counted, but its target hears of it, unless it has gone: it may be waiting
// for the count.
errc tell_refused(window_core& core, rank r, std::size_t counter, errc why) noexcept {
  if (!core.is_far(r))
    core.counter(r.value, counter).refuse(why);
  else if (boot::is_misuse(why))
    core.far->refuse_notify(r, counter, why);
  return why;
}

// The put is complete at the target before the counter moves: on this node every route's put is
// when it returns, and stores are not passed by the counter's atomic add; to another node they
// travel together.
errc put_notify(window_core& core, rank r, disp i, const void* values, std::size_t n,
                std::size_t counter, call_site where) noexcept {
  if (const errc e = check_target(core, r, counter); e != errc::success) return e;
  if (core.is_far(r)) {
    if (const errc e = check_far_put(core, r, i, n, "put_notify", where); e != errc::success)
      return tell_refused(core, r, counter, e);
    target at;
    if (const errc e = find_target(core, r, i, n, at); e != errc::success)
      return tell_refused(core, r, counter, e);
    const errc e = core.far->put_notify(r, at.address, values, n * core.extent, counter);
    return e == errc::success ? e : fail_with(core, e, r, "put_notify");
  }
  const errc e = n == 1 ? core.view.ops->put(core, r, i, values, where)
                        : core.view.ops->put_n(core, r, i, values, n, nullptr, where);
  if (e != errc::success) return tell_refused(core, r, counter, e);
  if (core.on_device(r) != nullptr)
    if (const errc drained = core.device->drain(); drained != errc::success)
      return tell_refused(core, r, counter, fail_with(core, drained, r, "put_notify"));
  core.counter(r.value, counter).add(1);
  return errc::success;
}

errc wait_notify(window_core& core, std::size_t counter, std::uint64_t at_least,
                 call_site) noexcept {
  if (const errc e = check_counter(core, counter); e != errc::success) return e;
  const errc e = core.counter(core.me(), counter).wait_at_least(at_least, core.group->watch());
  if (e == errc::success) return e;
  const std::string awaited = "wait_notify: counter " + std::to_string(counter) +
                              " did not come to " + std::to_string(at_least);
  if (boot::is_misuse(e))
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

void fill_notify_slots(operation_table& table) {
  table.put_notify = put_notify;
  table.wait_notify = wait_notify;
  table.read_notify = read_notify;
}

}  // namespace oriel::win
