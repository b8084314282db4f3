// The owner's half of requests of other nodes for many places of its memory. Bytes from outside:
// all of a request is checked before any of it is carried out.
#include <span>
#include <utility>

#include "sync/run_list.hpp"
#include "transport/leaving_room.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/route/remote_window.hpp"
#include "win/serve/apply_request.hpp"
#include "win/serve/mapped_atomics.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using sync::am_kind;
using sync::block_run;
using transport::is_known;
using transport::leaving_room;
using transport::longest_payload;
using transport::longest_unordered_payload;
using transport::message;

namespace {

// Blocks in one buffer of this rank's, and the bytes that belong to them, one block after another.
struct near_blocks {
  std::byte* there;
  std::ptrdiff_t stride;
  std::size_t bytes;
  std::size_t blocks;
  std::size_t done;  // bytes of the run's blocks before these
};

bool holds_device_memory(const detail::window_core& core) noexcept {
  return core.devices.memory != nullptr && core.devices.memory->holds_own();
}

// Its runtime carries them out, one by one.
errc apply_to_each(detail::window_core& core, const near_blocks& b, owner_request each) noexcept {
  each.bytes = b.bytes;
  for (std::size_t i = 0; i < b.blocks; ++i) {
    each.location = b.there + static_cast<std::ptrdiff_t>(i) * b.stride;
    if (const errc e = apply_request(core, each); e != errc::success) return e;
    if (each.operands != nullptr) each.operands += b.bytes;
    if (each.results != nullptr) each.results += b.bytes;
  }
  return errc::success;
}

errc apply_to_blocks(detail::window_core& core, am_kind what, const runs_request& asked,
                     const near_blocks& b, const std::byte* sent, std::byte* results) noexcept {
  const bool puts = what == am_kind::put_runs;
  if (holds_device_memory(core)) {
    const am_kind each = puts                 ? am_kind::put
                         : results != nullptr ? am_kind::get_accumulate
                                              : am_kind::accumulate;
    return apply_to_each(core, b, {each, asked.op, asked.type, nullptr, sent, results, 0});
  }
  if (!puts)
    return accumulate_mapped_blocks(core, {rank{core.me()}, b.there, b.stride, asked.op, asked.type,
                                           sent, results, b.bytes / size_of(asked.type), b.blocks});
  copy_blocks(sent, static_cast<std::ptrdiff_t>(b.bytes), b.there, b.stride, b.bytes, b.blocks);
  return errc::success;
}

errc read_blocks(detail::window_core& core, const near_blocks& b, std::byte* results) noexcept {
  if (holds_device_memory(core))
    return apply_to_each(core, b, {am_kind::get, {}, {}, nullptr, nullptr, results, 0});
  copy_blocks(b.there, b.stride, results, static_cast<std::ptrdiff_t>(b.bytes), b.bytes, b.blocks);
  return errc::success;
}

// An empty answer leaves the room where it was.
void answer(transport::fabric& way, const transport::message_head& asked, leaving_room& room,
            std::span<const std::byte> payload) noexcept {
  if (!payload.empty()) room.left();
  way.reply(asked, errc::success, payload);
}

bool may_write(const detail::window_core& core, const near_blocks& b) noexcept {
  return core.memory.own_pages == nullptr || holds_device_memory(core) ||
         core.memory.own_pages->contain(b.there, b.stride, b.bytes, b.blocks);
}

}  // namespace

// Calls f(near_blocks) for all of a run, which has at most as many blocks as a message has bytes:
// at once where one buffer exposes all that lies around it. Returns rma_range where some is not
// exposed.
template <class F>
errc remote_window::for_exposed(const block_run& r, F f) noexcept {
  std::uint64_t first = 0, end = 0;
  if (!r.bounds(first, end)) return errc::rma_range;
  if (std::byte* const around = exposed(first, end - first))
    return f(near_blocks{around + (r.address - first), r.stride, r.bytes, r.blocks, 0});
  for (std::uint32_t b = 0; b < r.blocks; ++b) {
    const auto apart = static_cast<std::uint64_t>(r.stride * std::int64_t{b});
    std::byte* const there = exposed(r.address + apart, r.bytes);
    if (there == nullptr) return errc::rma_range;
    if (const errc e = f(near_blocks{there, 0, r.bytes, 1, std::size_t{r.bytes} * b});
        e != errc::success)
      return e;
  }
  return errc::success;
}

errc remote_window::serve_runs(am_kind what, const message& m) noexcept {
  if (m.payload.size() > longest_unordered_payload) return errc::size;
  const auto asked = m.head.carried<runs_request>();
  if (!is_known(asked.op) || !is_known(asked.type)) return errc::arg;
  const bool puts = what == am_kind::put_runs;
  const bool fetches = what == am_kind::get_accumulate_runs;
  if (!puts &&
      atomics::accumulate_kernel(asked.op, asked.type, atomics::kernel_mode::atomic) == nullptr)
    return errc::op;
  const std::byte* const list = m.payload.data();
  const errc allowed = sync::run_list::for_each(
      list, m.payload.size(), [&](const block_run& r, const std::byte*) noexcept {
        if (!puts && r.bytes % size_of(asked.type) != 0) return errc::type;
        return for_exposed(r, [this](const near_blocks& b) noexcept {
          return may_write(core_, b) ? errc::success : errc::rma_range;
        });
      });
  if (allowed != errc::success) return allowed;
  leaving_room room(fabric_);
  std::byte* const results = fetches ? room.begin().data() : nullptr;
  std::size_t replied = 0;  // less than the list has
  const errc e = sync::run_list::for_each(
      list, m.payload.size(), [&](const block_run& r, const std::byte* bytes) noexcept {
        std::byte* const before = fetches ? results + replied : nullptr;
        const std::size_t all = std::size_t{r.bytes} * r.blocks;
        // Its sender may have changed the list since it was checked.
        if (fetches && all > longest_unordered_payload - replied) return errc::size;
        if (fetches) replied += all;
        return for_exposed(r, [&](const near_blocks& b) noexcept {
          return apply_to_blocks(core_, what, asked, b, bytes + b.done,
                                 fetches ? before + b.done : nullptr);
        });
      });
  if (e == errc::success) answer(fabric_, m.head, room, {results, replied});
  return e;
}

errc remote_window::serve_get_runs(const message& m) noexcept {
  if (m.payload.size() > longest_payload) return errc::size;
  std::size_t wanted = 0;
  const errc allowed = sync::for_each_run(m.payload, [&](const block_run& r) noexcept {
    if (r.bytes == 0 || r.blocks == 0) return errc::count;
    const std::size_t bytes = std::size_t{r.bytes} * r.blocks;
    if (bytes > longest_unordered_payload - wanted) return errc::size;
    wanted += bytes;
    return for_exposed(r, [](const near_blocks&) noexcept { return errc::success; });
  });
  if (allowed != errc::success) return allowed;
  leaving_room room(fabric_);
  std::byte* const results = room.begin().data();
  std::byte* to = results;
  const errc e = sync::for_each_run(m.payload, [&](const block_run& r) noexcept {
    const std::size_t bytes = std::size_t{r.bytes} * r.blocks;
    if (bytes > wanted - static_cast<std::size_t>(to - results)) return errc::size;
    std::byte* const first = std::exchange(to, to + bytes);
    return for_exposed(
        r, [&](const near_blocks& b) noexcept { return read_blocks(core_, b, first + b.done); });
  });
  if (e == errc::success) answer(fabric_, m.head, room, {results, wanted});
  return e;
}

}  // namespace oriel::win
