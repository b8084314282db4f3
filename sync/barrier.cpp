#include "sync/barrier.hpp"

namespace oriel::sync {
namespace {

// How many ranks have arrived, above the sum of their signatures, cut so that it does not overflow:
// all are alike when the sum is one signature times the number of ranks, and as good as never
// otherwise.
constexpr int count_shift = 44;
constexpr std::uint64_t cut_signature(std::uint64_t signature) noexcept {
  return signature >> 40;
}

}  // namespace

// The first line's signature[0] is the counter; that of the second keeps the turn, if any, in which
// signatures differed.
errc node_barrier::central(std::uint64_t signature) noexcept {
  std::atomic<std::uint64_t>& arrived = lines_[0].signature[0];
  std::atomic<std::uint64_t>& differing = lines_[1].signature[0];
  wait_word& released = lines_[1].word;
  const std::uint32_t turn = next_turn();
  const auto ranks = static_cast<std::uint64_t>(ranks_);
  const std::uint64_t mine = std::uint64_t{1} << count_shift | cut_signature(signature);
  if (const std::uint64_t all = arrived.fetch_add(mine, std::memory_order_seq_cst) + mine;
      all >> count_shift == ranks) {
    arrived.store(0, std::memory_order_relaxed);
    if (all != ranks * mine) differing.store(turn, std::memory_order_relaxed);
    released.value.store(turn, std::memory_order_seq_cst);
    wake_all(released);
  } else {
    const errc waited = wait_for(released, *peers_, [turn](std::uint32_t now) {
      return static_cast<std::int32_t>(now - turn) >= 0;
    });
    if (waited != errc::success) return waited;
  }
  return differing.load(std::memory_order_relaxed) == turn ? errc::mismatched_collective
                                                           : errc::success;
}

}  // namespace oriel::sync
