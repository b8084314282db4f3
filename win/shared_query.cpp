// What a window's memory looks like from here (MPI-4.1 §12.2.3, extended to every window).
#include "oriel/any_window.hpp"
#include "win/window_core.hpp"

namespace oriel {
namespace {

using detail::window_core;

// Where this process can load and store a record of rank `r`; null where it cannot.
std::byte* base_of(const window_core& core, rank r, const win::segment_record& record) noexcept {
  if (record.offset != detail::unmapped) return core.node_memory().base() + record.offset;
  if (r.value == core.me()) return reinterpret_cast<std::byte*>(record.address);  // NOLINT
  return core.on_device(r);
}

shared_segment<std::byte> query(const window_core& core, rank r) noexcept {
  if (core.is_far(r)) return {r, nullptr, 0};
  // The buffer given to create, or else the first that is attached.
  if (core.promised.has(assertion::attach)) {
    try {
      const auto records = core.book(r).from(0, 1);
      if (records.empty()) return {r, core.node_memory().base() + core.block, 0};
      std::byte* const base = base_of(core, r, records.front());
      return {r, base, base == nullptr ? 0 : records.front().count};
    } catch (const std::bad_alloc&) {
      return {r, nullptr, 0};
    }
  }
  if (r.value == core.me()) return {r, core.local, core.local_count};
  const detail::segment_entry& entry = core.shared_entry(r);
  if (std::byte* const base = core.on_device(r)) return {r, base, entry.count};
  if (entry.offset == detail::unmapped) return {r, nullptr, 0};
  return {r, core.node_memory().base() + entry.offset, entry.count};
}

}  // namespace

shared_segment<std::byte> any_window::shared_query(rank r) const noexcept {
  if (!valid()) return {};
  const window_core& core = *view_.core;
  if (r != any_rank) return core.group->has(r) ? query(core, r) : shared_segment<std::byte>{};
  for (int i = 0; i < core.ranks(); ++i)
    if (const auto s = query(core, rank{i}); s.reachable() && s.count != 0) return s;
  return {};
}

std::vector<segment<std::byte>> any_window::segments(rank r) const {
  if (!valid()) throw error(errc::win, failure());
  const window_core& core = *view_.core;
  std::vector<segment<std::byte>> found;
  if (!core.group->has(r))
    throw error(errc::rank, "window '" + core.name + "': segments of rank " +
                                std::to_string(r.value) + ": " + core.group->ranks_in_words());
  if (core.own_book || core.is_far(r)) {
    const bool far = core.is_far(r);
    for (const win::segment_record& record : far ? core.far->segments(r) : core.book(r).all())
      found.push_back({static_cast<segment_handle>(record.handle), disp{record.first}, record.count,
                       far ? nullptr : base_of(core, r, record)});
  } else if (const auto s = query(core, r); s.count != 0) {
    found.push_back({segment_handle{}, disp{0}, s.count, s.base});
  }
  return found;
}

}  // namespace oriel
