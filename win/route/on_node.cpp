#include "win/route/on_node.hpp"

#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// The put is complete at the target before the counter moves, and stores are not passed by its
// atomic add.
errc notify_on_node(window_core& core, const notification& n, call_site where) noexcept {
  const detail::operation_table& to = core.gathers() ? core.operations.ungathered : core.inner();
  errc e = n.shapes != nullptr ? to.put_typed(core, n.to, n.first, *n.shapes, nullptr, where)
           : n.n == 0          ? errc::success
           : n.n == 1          ? to.put(core, n.to, n.first, n.values, where)
                               : to.put_n(core, n.to, n.first, n.values, n.n, nullptr, where);
  if (e == errc::success) e = core.routes.to(n.to).flush(core, n.to);
  if (e == errc::success) core.counter(n.to.value, n.with.counter).add(n.with.amount);
  return e;
}

void refuse_notify_on_node(window_core& core, rank r, notice n, errc why) noexcept {
  core.counter(r.value, n.counter).refuse(why, n.amount);
}

errc flush_on_node(window_core& core, rank r) noexcept {
  return complete_deferred(core, r);
}

shared_segment<std::byte> query_own(const window_core& core, rank r) noexcept {
  return {r, core.memory.local, core.memory.local_count};
}

std::byte* base_of(const window_core& core, rank r, const segment_record& record) noexcept {
  if (record.offset != detail::unmapped) return core.node_memory().base() + record.offset;
  if (r.value == core.me()) return reinterpret_cast<std::byte*>(record.address);  // NOLINT
  return core.on_device(r);
}

std::vector<segment<std::byte>> segments_on_node(const window_core& core, rank r) {
  std::vector<segment<std::byte>> found;
  if (core.memory.own_book) {
    for (const segment_record& record : core.book(r).all())
      found.push_back({static_cast<segment_handle>(record.handle), disp{record.first}, record.count,
                       base_of(core, r, record)});
  } else if (const auto s = core.routes.to(r).query(core, r); s.count != 0) {
    found.push_back({segment_handle{}, disp{0}, s.count, s.base});
  }
  return found;
}

}  // namespace oriel::win
