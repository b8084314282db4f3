#include "win/route/origin_staging.hpp"

#include <utility>

#include "transport/pieces.hpp"
#include "win/slots/target.hpp"

namespace oriel::win {

origin_staging::origin_staging(kinds::device_runtime& runtime, int device)
    : runtime_(runtime),
      memory_(runtime.allocate(device, kinds::residence::host, 2 * piece_bytes)) {
  pieces_[0].memory = memory_;
  pieces_[1].memory = memory_ + piece_bytes;
}

origin_staging::~origin_staging() {
  runtime_.free(memory_);
}

origin_staging& staging_of(detail::window_core& core, kinds::device_runtime& runtime, int device) {
  const std::lock_guard hold(core.devices.making_staging);
  if (core.devices.staging == nullptr)
    core.devices.staging = std::make_unique<origin_staging>(runtime, device);
  return *core.devices.staging;
}

namespace {

errc copied(detail::window_core& core, const target& at, errc e) noexcept {
  return latched(core, e, at.owner, "staging a buffer in device memory");
}

}  // namespace

// The piece may be used again: what it sent has left, what it received is where it was to end.
errc origin_staging::finish(detail::window_core& core, const target& at, piece& p) noexcept {
  const errc ended = core.routes.remote->wait(p.under_way, at.owner);
  std::byte* const sink = std::exchange(p.sink, nullptr);
  if (ended != errc::success) return fail_with(core, ended, at.owner, "a transfer in pieces");
  return sink == nullptr ? ended : copied(core, at, runtime_.copy(sink, p.memory, p.bytes));
}

// Piece by piece: `transfer(piece, done, bytes)` once what the piece carried before is complete.
template <class Transfer>
errc origin_staging::in_turns(detail::window_core& core, const target& at, std::size_t bytes,
                              Transfer transfer) noexcept {
  const std::lock_guard hold(one_at_a_time_);
  std::size_t turn = 0;
  errc e = transport::in_pieces(bytes, piece_bytes, [&](std::size_t done, std::size_t n) noexcept {
    piece& p = pieces_[turn++ % pieces_.size()];
    const errc before = finish(core, at, p);
    return before != errc::success ? before : transfer(p, done, n);
  });
  for (piece& p : pieces_)
    if (const errc ended = finish(core, at, p); e == errc::success) e = ended;
  return e;
}

errc origin_staging::put(detail::window_core& core, const target& at, const std::byte* from,
                         std::size_t bytes) noexcept {
  return in_turns(core, at, bytes, [&](piece& p, std::size_t done, std::size_t n) noexcept {
    if (const errc e = copied(core, at, runtime_.copy(p.memory, from + done, n));
        e != errc::success)
      return e;
    return at.by->put(core, at, static_cast<std::ptrdiff_t>(done), p.memory, n, &p.under_way);
  });
}

errc origin_staging::get(detail::window_core& core, const target& at, std::byte* to,
                         std::size_t bytes) noexcept {
  return in_turns(core, at, bytes, [&](piece& p, std::size_t done, std::size_t n) noexcept {
    const errc begun =
        at.by->get(core, at, static_cast<std::ptrdiff_t>(done), p.memory, n, &p.under_way);
    if (begun == errc::success) {
      p.sink = to + done;
      p.bytes = n;
    }
    return begun;
  });
}

}  // namespace oriel::win
