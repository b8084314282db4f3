// The handle of one request-based operation (MPI-4.1 §12.3.5).
#pragma once

#include <memory>
#include <span>

#include "oriel/errc.hpp"

namespace oriel {
namespace detail {
class request_state;
}

// Completion of a request is *local*: the source is reusable and the result usable; completion at
// the target takes a flush. Within a node an operation ends before it returns, so a request is born
// complete and holds nothing. To another node it holds the operation; any number may be
// outstanding, and one that is dropped without a wait waits in its destructor.
class request {
 public:
  request() noexcept = default;
  explicit request(status result) noexcept : result_(result) {}
  request(status begun, std::shared_ptr<detail::request_state> state) noexcept
      : result_(begun), state_(std::move(state)) {}

  // True once locally complete, and in bounded time when the target has died. Makes progress.
  [[nodiscard]] bool test() const noexcept;
  // Returns what became of the operation: what it returned, or else peer_failed, timed_out or
  // rma_range.
  status wait() noexcept;

 private:
  status result_;
  std::shared_ptr<detail::request_state> state_;
};

// Waits for all; returns the first failure in order, success otherwise.
inline status wait_all(std::span<request> requests) noexcept {
  status first;
  for (request& r : requests) {
    const status one = r.wait();
    if (first.ok()) first = one;
  }
  return first;
}

}  // namespace oriel
