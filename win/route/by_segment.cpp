// What a rank of this node has attached: mapped or private, segment by segment.
#include <new>

#include "win/route/known_routes.hpp"
#include "win/route/mapped.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

offer probe_by_segment(assertion_set promised, const peer_facts& peer) noexcept {
  if (!peer.same_node || !promised.has(assertion::attach)) return {};
  if (peer.same_process || peer.cma)
    return {100,
            "assertion::attach: memory may be added at any time; the kernel copies what is "
            "private"};
  return {100,
          "assertion::attach: memory may be added at any time; of what is private its owner's "
          "process copies, since the kernel refuses process_vm_readv"};
}

bool find_by_segment(const window_core& core, rank r, disp i, std::uint64_t n,
                     target& found) noexcept {
  const auto record = core.book(r).find(i.value, n, core.agreed.extent);
  if (!record) return false;
  const std::uint64_t within = (i.value - record->first) * core.agreed.extent;
  if (std::byte* const base = base_of(core, r, *record)) {
    found.by = &routes::load_store;
    found.mapped = base + within;
  } else {
    found.by = &core.routes.to_private(r);
    found.address = record->address + within;
  }
  return true;
}

// Of what is mapped an operation is an instruction.
bool is_private(const window_core& core, rank r, disp i, std::uint64_t n) noexcept {
  const auto record = core.book(r).find(i.value, n, core.agreed.extent);
  return record && base_of(core, r, *record) == nullptr;
}

// The buffer given to create, or else the first that is attached.
shared_segment<std::byte> query_by_segment(const window_core& core, rank r) noexcept {
  try {
    const auto records = core.book(r).from(0, 1);
    if (records.empty()) return {r, core.node_memory().base() + core.memory.room.block(), 0};
    std::byte* const base = base_of(core, r, records.front());
    return {r, base, base == nullptr ? 0 : records.front().count};
  } catch (const std::bad_alloc&) {
    return {r, nullptr, 0};
  }
}

}  // namespace

// `find` names the route of the segment, whose put and get are called.
constinit const route routes::by_segment = refine(mapped_route, [](route& r) {
  r.name = "by segment";
  r.probe = probe_by_segment;
  r.find = find_by_segment;
  r.query = query_by_segment;
  r.in_packets = true;
  r.may_gather = is_private;
});

}  // namespace oriel::win
