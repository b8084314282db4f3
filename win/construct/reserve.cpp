#include "win/construct/reserve.hpp"

#include "session/team/collective_attempt.hpp"
#include "win/route/shared_packets.hpp"

namespace oriel::win {
namespace {

using detail::segment_entry;

struct blocks {
  std::uint64_t control = 0;
  std::uint64_t segments = 0;
};

segment_entry entry(const blueprint& b, int r, const blocks& made) {
  const detail::team_state& group = b.group();
  const construction_request& q = b.request(r);
  if (!group.on_node(r)) return {detail::unmapped, q.count};
  if (q.where == place::device_memory || q.where == place::managed_memory)
    return {detail::unmapped, q.count};
  if (b.asked.how == flavor::allocate)
    // A rank without memory still has a base that may be compared and passed on.
    return {static_cast<std::int64_t>((b.segments.bytes == 0 ? made.control : made.segments) +
                                      b.start_of(r)),
            q.count};
  if (q.where == place::node_memory) return {static_cast<std::int64_t>(q.offset), q.count};
  if (q.where == place::nowhere) return {static_cast<std::int64_t>(made.control), 0};
  if (group.size() == 1)
    return {static_cast<std::byte*>(b.asked.memory) - group.session().memory().base(), q.count};
  return {detail::unmapped, q.count};
}

void write_segments(const blueprint& b, const blocks& made) {
  auto* const table = reinterpret_cast<segment_entry*>(b.group().session().memory().base() +
                                                       made.control + b.layout.segments);
  for (int r = 0; r < b.group().size(); ++r) table[r] = entry(b, r, made);
}

// On the first rank of the node.
sessions::led<blocks> take(const blueprint& b) noexcept {
  sessions::node_memory& memory = b.group().session().memory();
  sessions::led<blocks> result{b.laid_out, {}};
  auto& [how, made] = result;
  sessions::attempt(how, [&, &made = made] {
    made.control = memory.allocate(b.block_bytes, b.devices ? page : 2 * cache_line);
    if (b.segments.bytes != 0)
      made.segments = memory.allocate(b.segments.bytes, b.segments.alignment,
                                      b.segments.bytes <= made_by_first_rank);
    write_segments(b, made);
    if (b.layout.shared_packets != 0)
      shared_packets::lay_out(memory.base() + made.control + b.layout.shared_packets,
                              b.shared_packet_bytes);
  });
  if (!how.ok() && made.control != 0) memory.release(made.control);
  if (!how.ok()) made = {};
  b.group().offer(b.id, {made.control, made.segments});
  return result;
}

}  // namespace

void salvage_blocks(detail::team_state& group, std::uint64_t id, errc code) {
  sync::published_result::content found{};
  if (group.leads())
    group.offer(id, found);  // so that nobody waits for it
  else
    group.salvage(code, group.node_members().front(), id, found);
  const reservation salvaged(group, found.first, found.second);
}

reserved reserve(const blueprint& b, tried_devices& tried) {
  detail::team_state& group = b.group();
  sessions::led<blocks> led;
  if (group.leads()) led = take(b);
  if (const errc e = sessions::share_with_node(group, b.call(), led); e != errc::success) {
    // A rank has died, but the first rank may have taken blocks before, which are released on the
    // way out.
    sync::published_result::content found{led.made.control, led.made.segments};
    if (!group.leads()) group.salvage(e, group.node_members().front(), b.id, found);
    tried.close();
    const reservation salvaged(group, found.first, found.second);
    cannot_construct(group, b.asked.options->name, e);
  }
  if (!led.how.ok() && !b.window().remote) sessions::fail_alike(b.title(), led.how);
  return {reservation(group, led.made.control, led.made.segments), led.how};
}

}  // namespace oriel::win
