#include "session/barrier.hpp"

namespace oriel::boot {

errc node_barrier::central() noexcept {
  wait_word& arrived = lines_[0].word;
  wait_word& released = lines_[1].word;
  const std::uint32_t turn = ++turn_;
  const auto everyone = turn * static_cast<std::uint32_t>(ranks_);
  if (arrived.value.fetch_add(1, std::memory_order_seq_cst) + 1 == everyone) {
    released.value.store(turn, std::memory_order_seq_cst);
    wake_all(released);
    return errc::success;
  }
  return wait_for(released, *peers_,
                  [turn](std::uint32_t now) { return static_cast<std::int32_t>(now - turn) >= 0; });
}

}  // namespace oriel::boot
