// The handle of one request-based operation (MPI-4.1 §12.3.5).
#pragma once

#include <memory>
#include <span>

#include "oriel/continuation.hpp"
#include "oriel/errc.hpp"

namespace oriel {
namespace detail {
class request_state;
}

// A request completes *locally*: the source is reusable and the result usable. Complete at the
// target only after a flush. Within a node an operation ends before it returns, and its request is
// complete and empty. To another node a request holds the operation; any number may be outstanding.
// The destructor of one that is not complete blocks as wait() does. Requests compose: `then`
// (oriel/continuation.hpp), when_all (oriel/when_all.hpp) and co_await (oriel/task.hpp).
class request : public composable<request> {
 public:
  request() noexcept = default;
  explicit request(status result) noexcept : result_(result) {}
  request(status begun, std::shared_ptr<detail::request_state> state) noexcept
      : result_(begun), state_(std::move(state)) {}

  // Returns, without blocking, whether the request is locally complete or its target has died.
  // Makes progress.
  [[nodiscard]] bool test() const noexcept;
  // Blocks until the request is locally complete. Returns the operation's code: what it returned
  // when it was begun, or else peer_failed, timed_out or rma_range; a second call returns the same.
  status wait() noexcept;

 private:
  status result_;
  std::shared_ptr<detail::request_state> state_;
};

// Blocks until all are locally complete. Returns the first failure in their order, else success.
inline status wait_all(std::span<request> requests) noexcept {
  status first;
  for (request& r : requests) {
    const status one = r.wait();
    if (first.ok()) first = one;
  }
  return first;
}

}  // namespace oriel
