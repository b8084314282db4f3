// One call on many single elements of mapped memory, which may lie anywhere: what lists and packets
// of operations come to on the node where the memory is.
#pragma once

#include <cstddef>
#include <optional>

#include "atomics/kernels.hpp"
#include "oriel/detail/element_list.hpp"
#include "win/route/packet.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// At most so many are done at a time: their lines fit the first cache beside the next ones.
inline constexpr std::size_t elements_at_once = 64;

struct scattered_block {
  std::byte* const* targets = nullptr;
  const rank* owners = nullptr;  // of this node; null: one owner's, `owner`
  rank owner{0};
  const std::byte* operands = nullptr;  // one every `stride` bytes
  const std::byte* desired = nullptr;   // likewise
  std::size_t stride = 0;
  std::byte* results = nullptr;  // dense
  std::size_t n = 0;
};

// A call and its operation, looked up once. Threads: any.
class scattered_call {
 public:
  // Requires: the base datatype is contiguous. `type`: of elements that may begin anywhere; opaque:
  // they are the window's.
  scattered_call(detail::window_core&, detail::list_call, atomic_op,
                 primitive type = primitive::opaque) noexcept;

  // Of what comes in a packet, whatever that says.
  static scattered_call of(detail::window_core&, const packet_word&) noexcept;

  // Why it cannot be performed on the base datatype; success where it can. Latches nothing.
  [[nodiscard]] errc refusal() const noexcept { return refusal_; }
  // Complete on return. Requires: not refused. Returns what a lock of a wide element fails with.
  errc perform(const scattered_block&) const noexcept;

 private:
  errc move(const scattered_block&) const noexcept;
  errc one_by_one(const scattered_block&) const noexcept;

  detail::window_core& core_;
  detail::list_call call_;
  std::uint8_t kind_ = 0;                   // of a call by owner
  atomics::scattered_fn atomic_ = nullptr;  // null: one by one
  atomics::accumulate_fn kernel_ = nullptr;
  atomics::compare_swap_fn swap_ = nullptr;
  std::size_t bytes_;  // of an element, or of a run
  bool aligned_;       // all are
  errc refusal_ = errc::success;
};

}  // namespace oriel::win
