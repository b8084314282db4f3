#include "transport/kernel_ring_server.hpp"

#include <atomic>
#include <cstring>

namespace oriel::transport {
namespace {

using detail::kernel_action;
using detail::kernel_request;
using detail::kernel_slot;
using detail::slot_state;
using detail::turn_of;

std::atomic_ref<std::uint64_t> turn(kernel_slot& slot) noexcept {
  return std::atomic_ref(slot.turn);
}

// Where in the slot a request's result lies.
std::size_t reply_offset(const kernel_request& request) noexcept {
  return request.action == kernel_action::get ? 0 : detail::kernel_reply_offset;
}

// Whether what travels in the slot fits there. The server writes results of so many bytes, and
// reads sources, where other requests lie beyond. Actions that have one element take no other
// number.
bool fits_in_slot(const kernel_request& r) noexcept {
  using detail::kernel_inline_bytes, detail::kernel_reply_offset;
  const bool swaps = r.action == kernel_action::compare_swap;
  const bool fetches = swaps || r.action == kernel_action::fetch_op;
  const bool gets = r.action == kernel_action::get;
  if (fetches && r.n != 1) return false;
  const std::uint64_t width = (swaps ? 2u : 1u) * std::uint64_t{r.element_bytes};
  const std::uint64_t source_room = fetches ? kernel_reply_offset : kernel_inline_bytes;
  const std::uint64_t sink_room = kernel_inline_bytes - (fetches ? kernel_reply_offset : 0);
  if (r.source == nullptr && !gets && r.n != 0 && width > source_room / r.n) return false;
  return r.sink != nullptr || !(gets || fetches) || r.n == 0 || r.element_bytes <= sink_room / r.n;
}

// The holder of a failed request reads its reply all the same: zeros, which are T{}.
void blank_reply(kernel_slot& slot) noexcept {
  const std::size_t offset = reply_offset(slot.request);
  if (slot.request.sink == nullptr)
    std::memset(slot.inlined + offset, 0, detail::kernel_inline_bytes - offset);
}

}  // namespace

kernel_ring_server::kernel_ring_server(const detail::kernel_ring& ring, detail::device_state& state,
                                       kernel_requests& requests)
    : ring_(ring), state_(state), requests_(requests) {
  waiting_.reserve(std::size_t{1} << ring.log2_slots);
}

bool kernel_ring_server::serve_pending() noexcept {
  const std::uint64_t end = next_ + (std::uint64_t{1} << ring_.log2_slots);
  const std::uint64_t first = next_;
  for (; next_ != end && is_filled(next_); ++next_) serve(slot_of(next_), lap_of(next_));
  if (!waiting_.empty()) static_cast<void>(complete());
  if (!begun_ && next_ != first)
    std::atomic_ref(state_.complete).store(next_, std::memory_order_release);
  answer_all();
  return next_ != first;
}

bool kernel_ring_server::is_filled(std::uint64_t ticket) const noexcept {
  return turn(slot_of(ticket)).load(std::memory_order_acquire) ==
         turn_of(lap_of(ticket), slot_state::filled);
}

std::uint64_t kernel_ring_server::submitted() const noexcept {
  std::uint64_t end = next_ + (std::uint64_t{1} << ring_.log2_slots);
  while (end != next_ && !is_filled(end - 1)) --end;
  return end;
}

errc kernel_ring_server::complete() noexcept {
  if (!begun_) return errc::success;
  begun_ = overtakes_ = false;
  const errc outcome = requests_.complete();
  if (outcome != errc::success) {
    keep(outcome);
    for (const waiting_slot& w : waiting_) blank_reply(*w.slot);
  }
  std::atomic_ref(state_.complete).store(next_, std::memory_order_release);
  return outcome;
}

void kernel_ring_server::close() noexcept {
  std::atomic_ref(state_.closed).store(1, std::memory_order_release);
}

void kernel_ring_server::serve(kernel_slot& slot, std::uint64_t lap) noexcept {
  kernel_request request = slot.request;
  if (request.action == kernel_action::fence) {
    static_cast<void>(complete());
  } else if (request.action != kernel_action::quiet) {
    const bool notifies = request.action == kernel_action::put_notify;
    errc outcome = fits_in_slot(request) ? errc::success : errc::arg;
    if (outcome == errc::success && notifies && overtakes_) outcome = complete();
    if (outcome != errc::success) {
      requests_.refuse(request, outcome);
    } else {
      if (request.source == nullptr) request.source = slot.inlined;
      if (request.sink == nullptr) request.sink = slot.inlined + reply_offset(request);
      begun_ = true;
      overtakes_ = !notifies && !requests_.orders_notifications();
      outcome = requests_.serve(request);
    }
    if (outcome != errc::success) {
      keep(outcome);
      if (request.answered != 0) blank_reply(slot);
    }
  }
  if (request.answered != 0)
    waiting_.push_back({&slot, lap});
  else
    turn(slot).store(turn_of(lap + 1, slot_state::free), std::memory_order_release);
}

void kernel_ring_server::answer_all() noexcept {
  for (const waiting_slot& w : waiting_)
    turn(*w.slot).store(turn_of(w.lap, slot_state::answered), std::memory_order_release);
  waiting_.clear();
}

void kernel_ring_server::keep(errc failure) noexcept {
  auto none = static_cast<std::uint32_t>(errc::success);
  std::atomic_ref(state_.failure)
      .compare_exchange_strong(none, static_cast<std::uint32_t>(failure),
                               std::memory_order_release);
}

}  // namespace oriel::transport
