// Batched calls. On a node the elements are performed in blocks, and those of the next block are
// fetched meanwhile: out of cache this is what a loop with prefetches takes.
#include <algorithm>
#include <array>
#include <optional>

#include "win/serve/scattered_elements.hpp"
#include "win/slots/in_packets.hpp"
#include "win/slots/mapped_batch.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"

namespace oriel::win {
namespace {

using detail::element_list;
using detail::list_call;

const std::byte* bytes_at(const void* base, std::size_t offset) noexcept {
  return base == nullptr ? nullptr : static_cast<const std::byte*>(base) + offset;
}
std::byte* bytes_at(void* base, std::size_t offset) noexcept {
  return base == nullptr ? nullptr : static_cast<std::byte*>(base) + offset;
}

errc latched_block(window_core& core, errc e) noexcept {
  return e == errc::success ? e : core.fail(e, "an atomic operation on mapped memory failed");
}

// Operations [first, first + n) of a list, which lie where this process maps them.
scattered_block block_of(const window_core& core, const element_list& list, std::size_t first,
                         std::size_t n) noexcept {
  const std::size_t at = first * core.agreed.extent;
  scattered_block b;
  b.owners = list.ranks + first;
  b.operands = bytes_at(list.operands, at);
  b.desired = bytes_at(list.desired, at);
  b.stride = core.agreed.extent;
  b.results = bytes_at(list.results, at);
  b.n = n;
  return b;
}

using addresses = std::array<std::byte*, elements_at_once>;

// Their addresses; the lines are fetched, to be written to.
std::size_t find_block(const window_core& core, const element_list& list, std::size_t first,
                       addresses& found) noexcept {
  const std::size_t n = std::min(list.n - first, elements_at_once);
  for (std::size_t j = 0; j < n; ++j) {
    found[j] = mapped_at(core, list.ranks[first + j], list.disps[first + j]);
    __builtin_prefetch(found[j], 1);
  }
  return n;
}

// One of own memory is not told from others', which would take a look at each.
void count_list(window_core& core, const element_list& list, access_route by,
                std::size_t n) noexcept {
  if (n != 0) count(core, kind_of(list.call), by, core.agreed.extent, n);
}

// In windows that are mapped everywhere.
errc list_mapped(window_core& core, const element_list& list, call_site) noexcept {
  if (!is_defined(core, list.call, list.op)) return refuse_call(core, list.call, list.op);
  const scattered_call call(core, list.call, list.op);
  if (list.n == 0) return errc::success;
  count_list(core, list, access_route::load_store, list.n);
  std::array<addresses, 2> found;
  std::size_t n = find_block(core, list, 0, found[0]);
  for (std::size_t first = 0, turn = 0; n != 0; turn ^= 1) {
    const std::size_t next = first + n;
    const std::size_t then = next == list.n ? 0 : find_block(core, list, next, found[turn ^ 1]);
    scattered_block b = block_of(core, list, first, n);
    b.targets = found[turn].data();
    if (const errc e = call.perform(b); e != errc::success) return latched_block(core, e);
    first = next;
    n = then;
  }
  return errc::success;
}

// Operation `j` by the slots `one` of single elements. Its result is there on return.
errc perform_one(window_core& core, const operation_table& one, const element_list& list,
                 std::size_t j, call_site at) noexcept {
  const rank r = list.ranks[j];
  const disp i = list.disps[j];
  const std::size_t offset = j * core.agreed.extent;
  const std::byte* const operand = bytes_at(list.operands, offset);
  std::byte* const result = bytes_at(list.results, offset);
  switch (list.call) {
    case list_call::put:
      return one.put(core, r, i, operand, at);
    case list_call::get:
      return one.get(core, r, i, result, at);
    case list_call::accumulate:
      return one.accumulate(core, list.op, r, i, operand, at);
    case list_call::fetch_op:
      return one.fetch_op(core, list.op, r, i, operand, result, at);
    case list_call::compare_swap:
      return one.compare_swap(core, r, i, operand, bytes_at(list.desired, offset), result, at);
    case list_call::by_owner:
    case list_call::accumulate_again:
      break;
  }
  return errc::arg;
}

packet_streams::entry entry_of(const window_core& core, const element_list& list,
                               std::size_t j) noexcept {
  const std::size_t offset = j * core.agreed.extent;
  return {list.call,
          packet_word::number(list.op),
          list.ranks[j],
          list.disps[j],
          bytes_at(list.operands, offset),
          bytes_at(list.desired, offset),
          bytes_at(list.results, offset)};
}

// Transfers that a call of the kernel's moves, by itself or with others: so many for each rank of
// the node are worth a packet to each owner.
constexpr std::size_t worth_packets = 16;

bool is_transfer(const element_list& list) noexcept {
  return list.call == list_call::put || list.call == list_call::get;
}

// Whether those of a list go in packets to owners of private memory of this node.
bool asks_owners(const window_core& core, const element_list& list) noexcept {
  return core.agreed.aggregate || !is_transfer(list) ||
         list.n >= worth_packets * core.group->node_members().size();
}

// Those of each target in the order of the list: a target's take one way.
class routed_list {
 public:
  routed_list(window_core& core, const element_list& list, const scattered_call& call) noexcept
      : core_(core), list_(list), mapped_(call, list, core.agreed.extent) {}

  errc perform(call_site at) noexcept {
    errc e = errc::success;
    for (std::size_t j = 0; j < list_.n && e == errc::success; ++j) e = begin(j, at);
    // What was begun is done, whatever became of the rest.
    count_list(core_, list_, access_route::load_store, near_);
    count_list(core_, list_, access_route::packet, far_);
    const errc near = latched_block(core_, mapped_.finish());
    const errc far = leave();
    return e != errc::success ? e : near != errc::success ? near : far;
  }

 private:
  errc begin(std::size_t j, call_site at) noexcept {
    const rank r = list_.ranks[j];
    const detail::segment_entry& seen = seen_[r.value];
    const std::size_t extent = core_.agreed.extent;
    if (seen.offset != detail::unmapped && !attaches_) {
      ++near_;
      return latched_block(
          core_, mapped_.add(j, core_.view.base + seen.offset + list_.disps[j].value * extent));
    }
    if (packet_streams::stream* const s = stream_to(r, list_.disps[j])) {
      s->list = number_;
      const errc e = begin_in_packet(core_, *s, entry_of(core_, list_, j));
      if (e == errc::success) ++far_;
      return e;
    }
    turn_.reset();  // the slots may take one
    return perform_one(core_, core_.operations.table, list_, j, at);
  }
  packet_streams::stream* stream_to(rank r, disp i) noexcept {
    if (streams_ == nullptr) return nullptr;
    if (!turn_) turn_.emplace(*streams_);
    if (number_ == 0) number_ = streams_->begin_list();
    packet_streams::stream* const s = streams_->to(r);
    if (s == nullptr || !s->near) return s;
    return asks_owners_ && may_travel(core_, *s, {r, i}) ? s : nullptr;
  }
  // In windows that gather, packets wait for more.
  errc leave() noexcept {
    if (far_ == 0 || core_.agreed.aggregate) return errc::success;
    if (!turn_) turn_.emplace(*streams_);
    rank failed = any_rank;
    const errc e = streams_->send_list(number_, failed);
    return latched(core_, e, failed, "an operation");
  }

  window_core& core_;
  const element_list& list_;
  const detail::segment_entry* seen_ = &core_.seen_entry(rank{0});  // and of the other ranks
  packet_streams* streams_ = core_.routes.packets.get();
  bool asks_owners_ = asks_owners(core_, list_);
  bool attaches_ = core_.agreed.promised.has(assertion::attach);
  mapped_batch mapped_;
  std::optional<packet_streams::turn> turn_;
  std::uint64_t number_ = 0;        // of the list, once it has begun any in packets
  std::size_t near_ = 0, far_ = 0;  // begun on mapped memory, and in packets
};

// A list of one, as the forms _nbi have it.
errc list_of_one(window_core& core, const element_list& list, call_site at) noexcept {
  const rank r = list.ranks[0];
  const operation_table* alone = &core.operations.table;
  const route& by = core.routes.to(r);
  if (by.tracked || (by.in_packets && core.gathers())) {
    packet_streams& streams = *core.routes.packets;
    const packet_streams::turn mine(streams);
    packet_streams::stream* const s = streams.to(r);
    const bool travels = s != nullptr && may_travel(core, *s, {r, list.disps[0]});
    if (travels && !(is_transfer(list) && streams.goes_alone(*s))) {
      const errc e = begin_in_packet(core, *s, entry_of(core, list, 0));
      if (e == errc::success) count_list(core, list, access_route::packet, 1);
      if (e != errc::success || core.agreed.aggregate) return e;
      return latched(core, streams.send(*s), r, "an operation");
    }
    // The slots that gather would begin it in a packet, and complete that for its result.
    if (s != nullptr) alone = &core.operations.ungathered;
  }
  return perform_one(core, *alone, list, 0, at);
}

errc list_routed(window_core& core, const element_list& list, call_site at) noexcept {
  if (!is_defined(core, list.call, list.op)) return refuse_call(core, list.call, list.op);
  if (list.n == 1) return list_of_one(core, list, at);
  const scattered_call call(core, list.call, list.op);
  return routed_list(core, list, call).perform(at);
}

// Where other things stand around single operations: checks, staging, devices; and of base
// datatypes with gaps.
errc list_one_by_one(window_core& core, const element_list& list, call_site at) noexcept {
  for (std::size_t j = 0; j < list.n; ++j)
    if (const errc e = perform_one(core, core.operations.table, list, j, at); e != errc::success)
      return e;
  return errc::success;
}

}  // namespace

void fill_list_slot(operation_table& table, const window_core& core) {
  const bool plain = core.agreed.base.contiguous() && !core.agreed.watched &&
                     !core.devices.stages && !core.agreed.plan.device;
  table.list = !plain ? list_one_by_one : core.agreed.plan.all_mapped ? list_mapped : list_routed;
}

}  // namespace oriel::win
