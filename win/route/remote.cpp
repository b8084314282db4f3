#include "win/route/remote.hpp"

#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

// The elements have arrived on return.
errc put_and_wait(window_core& core, const notification& n, const target& at,
                  call_site where) noexcept {
  if (n.shapes != nullptr || !core.agreed.base.contiguous()) {
    const detail::operation_table& to = core.inner();
    const errc e = n.shapes != nullptr
                       ? to.put_typed(core, n.to, n.first, *n.shapes, nullptr, where)
                   : n.n == 1 ? to.put(core, n.to, n.first, n.values, where)
                              : to.put_n(core, n.to, n.first, n.values, n.n, nullptr, where);
    return e == errc::success ? flush_remote(core, n.to) : e;
  }
  tracker one;
  const errc begun = at.by->put(core, at, 0, n.values, n.n * core.agreed.extent, &one);
  const errc ended = wait_for(core, one, n.to, begun, "put_notify");
  return ended == errc::success
             ? latched(core, core.routes.remote->make_arrive(n.to), n.to, "put_notify")
             : ended;
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

// Few dense elements travel with the notification; others have arrived before it leaves.
errc notify_remote(window_core& core, const notification& n, call_site where) noexcept {
  if (core.agreed.promised.has(assertion::ordered_notify))
    if (const errc e = core.routes.remote->complete_before_notice(n.to); e != errc::success)
      return latched(core, e, n.to, "an operation before put_notify");
  target at;
  if (n.n != 0)
    if (const errc e = find_target(core, n.to, n.first, n.n, at); e != errc::success) return e;
  std::span<const std::byte> with;
  const bool dense = n.shapes == nullptr && (core.agreed.base.contiguous() || n.n == 0);
  if (dense && n.n * core.agreed.extent <= transport::longest_payload)
    with = {static_cast<const std::byte*>(n.values), n.n * core.agreed.extent};
  else if (const errc e = put_and_wait(core, n, at, where); e != errc::success)
    return e;
  return latched(core, core.routes.remote->notify(n.to, at.address, with, n.with), n.to,
                 "put_notify");
}

// A rank that is not reached has gone; and what failed for want of a peer was not refused.
void refuse_notify_remote(window_core& core, rank r, notice n, errc why) noexcept {
  if (sessions::is_misuse(why)) core.routes.remote->refuse_notify(r, n, why);
}

errc flush_remote(window_core& core, rank r) noexcept {
  return latched(core, core.routes.remote->flush(r), r, "an operation");
}

std::vector<segment<std::byte>> segments_remote(const window_core& core, rank r) {
  std::vector<segment<std::byte>> found;
  for (const segment_record& record : core.routes.remote->segments(r))
    found.push_back(
        {static_cast<segment_handle>(record.handle), disp{record.first}, record.count, nullptr});
  return found;
}

}  // namespace oriel::win
