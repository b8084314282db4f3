// Messages that the provider did not take at once, and that wait for their turn.
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>

#include "sync/system.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {

bool libfabric::defer(int to, std::initializer_list<std::span<const std::byte>> parts) noexcept {
  try {
    deferred d{to, {}};
    for (const std::span<const std::byte> part : parts)
      d.bytes.insert(d.bytes.end(), part.begin(), part.end());
    const std::lock_guard hold(deferred_mutex_);
    deferred_.push_back(std::move(d));
    any_deferred_.store(true, std::memory_order_relaxed);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Without memory to keep it, it is lost: a wait for it ends by its time-out.
void libfabric::send_or_defer(int to, const message_head& head,
                              std::span<const std::byte> payload) noexcept {
  // Behind what waits already, so that answers keep their order.
  if (!any_deferred_.load(std::memory_order_relaxed) && try_message(to, head, payload) == 0) return;
  defer(to, {std::as_bytes(std::span(&head, 1)), payload});
  give_room(payload);
}

// Once through the queue: one target that cannot take more does not delay the others. A connection
// that fails is tried anew for as long as its target is alive.
void libfabric::drain_deferred() noexcept {
  constexpr std::chrono::milliseconds pause{1};
  const auto now = sync::clock::now();
  std::list<deferred> before, later;
  {
    const std::lock_guard hold(deferred_mutex_);
    before.swap(deferred_);
    draining_ = true;
  }
  while (!before.empty()) {
    deferred& d = before.front();
    message_head head;
    std::memcpy(&head, d.bytes.data(), sizeof head);
    const bool leaving = head.kind == message_kind::bye_back;
    const bool behind =
        std::any_of(later.begin(), later.end(), [&d](const deferred& l) { return l.to == d.to; });
    ssize_t code = leaving || job_.alive(d.to) ? -FI_EAGAIN : 0;
    if (code != 0 && !behind && now >= d.not_before) {
      code = try_message(d.to, head, std::span(d.bytes).subspan(sizeof head));
      if (code != 0 && code != -FI_EAGAIN) d.not_before = now + pause;
      if (leaving && code != -FI_EAGAIN) code = 0;
    }
    if (code == 0)
      before.pop_front();
    else
      later.splice(later.end(), before, before.begin());
  }
  const std::lock_guard hold(deferred_mutex_);
  deferred_.splice(deferred_.begin(), later);
  draining_ = false;
  any_deferred_.store(!deferred_.empty(), std::memory_order_relaxed);
}

bool libfabric::is_deferred_to(int rank) noexcept {
  if (!any_deferred_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard hold(deferred_mutex_);
  // What is amid being sent is in no list.
  return draining_ || std::any_of(deferred_.begin(), deferred_.end(),
                                  [rank](const deferred& d) { return d.to == rank; });
}

}  // namespace oriel::transport
