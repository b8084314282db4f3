#include "win/origin_staging.hpp"

#include <utility>

#include "transport/pieces.hpp"

namespace oriel::win {

origin_staging::origin_staging(kinds::device_runtime& runtime)
    : runtime_(runtime),
      memory_(runtime.allocate(runtime.current_device().value_or(0), kinds::residence::host,
                               2 * piece_bytes)) {
  pieces_[0].memory = memory_;
  pieces_[1].memory = memory_ + piece_bytes;
}

origin_staging::~origin_staging() {
  runtime_.free(memory_);
}

errc origin_staging::put(far_window& far, rank r, std::uint64_t at, const std::byte* from,
                         std::size_t bytes) noexcept {
  const std::lock_guard hold(one_at_a_time_);
  std::size_t turn = 0;
  errc e = transport::in_pieces(bytes, piece_bytes, [&](std::size_t done, std::size_t n) noexcept {
    piece& p = pieces_[turn++ % pieces_.size()];
    if (const errc sent = far.wait(p.under_way, r); sent != errc::success) return sent;
    const errc copied = runtime_.copy(p.memory, from + done, n);
    return copied == errc::success ? far.put(r, at + done, p.memory, n, &p.under_way) : copied;
  });
  for (piece& p : pieces_)
    if (const errc sent = far.wait(p.under_way, r); e == errc::success) e = sent;
  return e;
}

errc origin_staging::finish_get(far_window& far, rank r, piece& p) noexcept {
  const errc arrived = far.wait(p.under_way, r);
  std::byte* const sink = std::exchange(p.sink, nullptr);
  if (arrived != errc::success || sink == nullptr) return arrived;
  return runtime_.copy(sink, p.memory, p.bytes);
}

errc origin_staging::get(far_window& far, rank r, std::uint64_t at, std::byte* to,
                         std::size_t bytes) noexcept {
  const std::lock_guard hold(one_at_a_time_);
  std::size_t turn = 0;
  errc e = transport::in_pieces(bytes, piece_bytes, [&](std::size_t done, std::size_t n) noexcept {
    piece& p = pieces_[turn++ % pieces_.size()];
    if (const errc before = finish_get(far, r, p); before != errc::success) return before;
    const errc begun = far.get(r, at + done, p.memory, n, &p.under_way);
    if (begun == errc::success) {
      p.sink = to + done;
      p.bytes = n;
    }
    return begun;
  });
  for (piece& p : pieces_)
    if (const errc ended = finish_get(far, r, p); e == errc::success) e = ended;
  return e;
}

}  // namespace oriel::win
