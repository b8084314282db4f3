#include "oriel/c/statistics.h"

#include <cstddef>
#include <cstring>

#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "oriel/statistics.hpp"

namespace {

using oriel::access_route;
using oriel::operation_kind;
using oriel::wait_cause;

static_assert(ORIEL_STATISTICS_KINDS == oriel::operation_kinds);
static_assert(ORIEL_STATISTICS_ROUTES == oriel::access_routes);
static_assert(ORIEL_STATISTICS_WAITS == oriel::wait_causes);
static_assert(ORIEL_STATISTICS_SIZES == oriel::size_classes);
static_assert(ORIEL_STATISTICS_PUT_NOTIFY == static_cast<int>(operation_kind::put_notify));
static_assert(ORIEL_ROUTE_OWNER_MAIL == static_cast<int>(access_route::owner_mail));
static_assert(ORIEL_ROUTE_PACKET == static_cast<int>(access_route::packet));
static_assert(ORIEL_WAIT_ROOM == static_cast<int>(wait_cause::room));

// The struct has grown at its end: programs may have one without these members.
constexpr std::size_t first_size = offsetof(oriel_window_counts, messages);

oriel_window_counts counts_of(const oriel::window_statistics& s) noexcept {
  oriel_window_counts counts{};
  for (std::size_t k = 0; k < oriel::operation_kinds; ++k)
    for (std::size_t r = 0; r < oriel::access_routes; ++r) {
      counts.operations[k][r] = s.operations[k][r].operations;
      counts.bytes[k][r] = s.operations[k][r].bytes;
    }
  for (std::size_t c = 0; c < oriel::size_classes; ++c) counts.by_size[c] = s.by_size[c];
  for (std::size_t c = 0; c < oriel::wait_causes; ++c) {
    counts.waits[c] = s.waits[c].times;
    counts.wait_nanoseconds[c] = static_cast<std::uint64_t>(s.waits[c].time.count());
  }
  counts.packets = s.packets;
  counts.packed = s.packed;
  counts.agent_wakes = s.agent_wakes;
  counts.retries = s.retries;
  counts.messages = s.messages;
  return counts;
}

}  // namespace

extern "C" int oriel_window_statistics(const oriel_window* window, oriel_window_counts* counts) {
  return oriel::capi::guarded([&] {
    const std::size_t size = counts->struct_size;
    if (size < first_size || size > sizeof(oriel_window_counts))
      throw oriel::error(oriel::errc::arg,
                         "oriel_window_statistics: struct_size is not that of oriel_window_counts");
    oriel_window_counts all = counts_of(window->any.statistics());
    all.struct_size = size;
    std::memcpy(counts, &all, size);
  });
}
