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
};

class kernel_ring_server {
 public:
  // All three outlive the server. Requires: a ring with slots, zeroed, that no other server had.
  kernel_ring_server(const detail::kernel_ring& ring, detail::device_state& state,
                     kernel_requests& requests);

  // Serves what is in the ring, one lap at most, in the order of tickets, and answers those that
  // wait: one `complete` for all that wait together. Returns whether anything was done.
  bool serve_pending() noexcept;

  // Ends every wait of kernels: they are served no more.
  void close() noexcept;

 private:
  void serve(detail::kernel_slot& slot, std::uint64_t lap) noexcept;
  void complete() noexcept;
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
  std::vector<waiting_slot> waiting_;  // for an answer; never more than the ring has slots
};

}  // namespace oriel::transport
