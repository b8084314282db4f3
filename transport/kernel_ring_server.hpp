// The host's side of the ring by which kernels reach other nodes (oriel/detail/kernel_ring.hpp). It
// has requests, and no windows.
//
// Threads: one at a time calls serve_pending, a progress agent or a thread that waits for a kernel.
// Devices wake no thread, so the ring is polled while kernels that use it may run.
#pragma once

#include <cstdint>
#include <vector>

#include "oriel/detail/device_view.hpp"
#include "oriel/detail/kernel_ring.hpp"
#include "oriel/errc.hpp"

namespace oriel::transport {

// Performs the requests.
class kernel_requests {
 public:
  virtual ~kernel_requests() = default;
  // Begins one request: put, get, accumulate, fetch_op, compare_swap or put_notify. Its source and
  // sink are set. A source of at most detail::kernel_inline_bytes is reusable on return, a larger
  // one and every sink belong to the request until `complete`. Every field must be verified: it
  // comes from a kernel.
  virtual errc serve(const detail::kernel_request&) noexcept = 0;
  // The server has refused a request, which is not served: whoever waits for it learns why.
  virtual void refuse(const detail::kernel_request&, errc why) noexcept = 0;
  // Every request served before is complete at its target, and its result in the sink.
  virtual errc complete() noexcept = 0;
  // Whether put_notify comes behind what was begun before it at its target. Where it may overtake
  // that, the server completes what was begun first.
  [[nodiscard]] virtual bool orders_notifications() const noexcept { return false; }
};

class kernel_ring_server {
 public:
  // All three outlive the server. Requires: a ring with slots, zeroed, that no other server had.
  kernel_ring_server(const detail::kernel_ring& ring, detail::device_state& state,
                     kernel_requests& requests);

  // Serves what is in the ring, one lap at most, in the order of tickets, and answers those that
  // wait: one `complete` for all that wait together. Returns whether anything was done.
  bool serve_pending() noexcept;

  // Returns how many tickets there are up to the last one whose request is in the ring.
  [[nodiscard]] std::uint64_t submitted() const noexcept;
  [[nodiscard]] std::uint64_t served() const noexcept { return next_; }
  // What was served is complete. Returns the failure of what was not complete before.
  errc complete() noexcept;

  // Ends every wait of kernels: they are served no more.
  void close() noexcept;

 private:
  // Whether the request of a ticket is in the ring.
  [[nodiscard]] bool is_filled(std::uint64_t ticket) const noexcept;
  [[nodiscard]] std::uint64_t lap_of(std::uint64_t ticket) const noexcept {
    return ticket >> ring_.log2_slots;
  }
  [[nodiscard]] detail::kernel_slot& slot_of(std::uint64_t ticket) const noexcept {
    return ring_.slots[ticket - (lap_of(ticket) << ring_.log2_slots)];
  }
  void serve(detail::kernel_slot& slot, std::uint64_t lap) noexcept;
  void answer_all() noexcept;
  void keep(errc failure) noexcept;

  struct waiting_slot {
    detail::kernel_slot* slot;
    std::uint64_t lap;
  };

  detail::kernel_ring ring_;
  detail::device_state& state_;
  kernel_requests& requests_;
  std::uint64_t next_ = 0;             // ticket
  bool begun_ = false;                 // something was served since the last complete()
  bool overtakes_ = false;             // a notification could overtake some of that
  std::vector<waiting_slot> waiting_;  // for an answer; never more than the ring has slots
};

}  // namespace oriel::transport
