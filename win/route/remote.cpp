#include "win/route/remote.hpp"

#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using transport::pending_ops;

// Whether messages of runs take all that is put (route/remote_runs.hpp), which copy it.
bool is_copied_at_once(const window_core& core, const notification& n) noexcept {
  const std::size_t bytes =
      n.shapes != nullptr ? n.shapes->origin_shape->type.size() * n.shapes->origin_shape->count
                          : n.n * core.agreed.base.size();
  return bytes < long_far_block && core.routes.where(n.to) != place::device_memory;
}

// By messages to the owner alone: another process of its node may perform a packet, and the
// notification would pass that.
errc put_layout(window_core& core, const notification& n, call_site where) noexcept {
  const detail::operation_table& to =
      core.agreed.aggregate ? core.operations.ungathered : core.inner();
  return n.shapes != nullptr ? to.put_typed(core, n.to, n.first, *n.shapes, nullptr, where)
         : n.n == 1          ? to.put(core, n.to, n.first, n.values, where)
                             : to.put_n(core, n.to, n.first, n.values, n.n, nullptr, where);
}

errc notify_alone(window_core& core, const notification& n, const pending_ops* behind) noexcept {
  return latched(core, core.routes.remote->notify(n.to, 0, {}, n.with, behind), n.to, "put_notify");
}

// The elements arrive first.
errc notify_after(window_core& core, const notification& n, const target& at, bool dense,
                  call_site where) noexcept {
  errc e = errc::success;
  if (dense) {
    tracker one;
    const errc begun = at.by->put(core, at, 0, n.values, n.n * core.agreed.extent, &one);
    e = wait_for(core, one, n.to, begun, "put_notify");
    if (e == errc::success)
      e = latched(core, core.routes.remote->make_arrive(n.to), n.to, "put_notify");
  } else {
    e = put_layout(core, n, where);
    if (e == errc::success) e = flush_remote(core, n.to);
  }
  return e == errc::success ? notify_alone(core, n, nullptr) : e;
}

// The notification leaves with the elements, which are reusable once they are complete. `before`
// counts them too, where it is not null.
errc notify_behind(window_core& core, const notification& n, const target& at,
                   const pending_ops* before) noexcept {
  tracker one;
  const errc begun = at.by->put(core, at, 0, n.values, n.n * core.agreed.extent, &one);
  const errc told =
      begun == errc::success ? notify_alone(core, n, before != nullptr ? before : &one) : begun;
  const errc ended = wait_for(core, one, n.to, begun, "put_notify");
  return ended == errc::success ? told : ended;
}

// What long messages bring may be passed by it. Short layouts have been copied.
errc notify_behind_layout(window_core& core, const notification& n, call_site where) noexcept {
  remote_window& far = *core.routes.remote;
  if (const errc e = put_layout(core, n, where); e != errc::success) return e;
  const pending_ops* before = nullptr;
  rank failed;
  const errc ordered = far.order_before_notice(n.to, before, failed);
  errc e = latched(core, ordered, failed, "put_notify");
  if (e == errc::success) e = notify_alone(core, n, before);
  if (e != errc::success || is_copied_at_once(core, n)) return e;
  return latched(core, far.complete_begun(n.to), n.to, "put_notify");
}

}  // namespace

// What is attached, its owner knows. Beyond what a rank exposes, a stray access would not touch
// other memory, but end the connection.
bool find_remote(const window_core& core, rank r, disp i, std::uint64_t n, target& found) noexcept {
  found.address = i.value * core.agreed.extent;
  found.in_device_memory = core.routes.where(r) == place::device_memory;
  const std::uint64_t count = core.shared_entry(r).count;
  return core.agreed.promised.has(assertion::attach) || (i.value <= count && n <= count - i.value);
}

errc accumulate_remote(window_core& core, const target& at, std::ptrdiff_t offset,
                       const accumulation& a, tracker* also) noexcept {
  return latched(
      core,
      core.routes.remote->accumulate(at.owner, at.address + static_cast<std::uint64_t>(offset),
                                     a.op, a.type, a.operands, a.results, a.n, also),
      at.owner, "accumulate");
}

errc swap_remote(window_core& core, const target& at, const swap& s) noexcept {
  return latched(core, core.routes.remote->compare_swap(at.owner, at.address, s), at.owner,
                 "compare_swap");
}

// Few dense elements travel with the notification, which follows others or waits for them.
errc notify_remote(window_core& core, const notification& n, call_site where) noexcept {
  remote_window& far = *core.routes.remote;
  const pending_ops* before = nullptr;
  rank failed;
  if (core.agreed.promised.has(assertion::ordered_notify))
    if (const errc e = far.order_before_notice(n.to, before, failed); e != errc::success)
      return latched(core, e, failed, "an operation before put_notify");
  target at;
  if (n.n != 0)
    if (const errc e = find_target(core, n.to, n.first, n.n, at); e != errc::success) return e;
  const bool dense = n.shapes == nullptr && (core.agreed.base.contiguous() || n.n == 0);
  const std::size_t bytes = n.n * core.agreed.extent;
  if (dense && bytes <= transport::longest_payload)
    return latched(core,
                   far.notify(n.to, at.address, {static_cast<const std::byte*>(n.values), bytes},
                              n.with, before),
                   n.to, "put_notify");
  if (far.way_of_notices() == transport::notice_way::after_arrival)
    return notify_after(core, n, at, dense, where);
  return dense ? notify_behind(core, n, at, before) : notify_behind_layout(core, n, where);
}

// A rank that is not reached has gone; and what failed for want of a peer was not refused.
void refuse_notify_remote(window_core& core, rank r, notice n, errc why) noexcept {
  if (sessions::is_misuse(why)) core.routes.remote->refuse_notify(r, n, why);
}

errc flush_remote(window_core& core, rank r) noexcept {
  rank failed;
  const errc e = core.routes.remote->flush(r, failed);
  return latched(core, e, failed, "an operation");
}

std::vector<segment<std::byte>> segments_remote(const window_core& core, rank r) {
  std::vector<segment<std::byte>> found;
  for (const segment_record& record : core.routes.remote->segments(r))
    found.push_back(
        {static_cast<segment_handle>(record.handle), disp{record.first}, record.count, nullptr});
  return found;
}

}  // namespace oriel::win
