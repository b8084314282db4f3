// The handle of one request-based operation (MPI-4.1 §12.3.5).
#pragma once

#include <span>

#include "oriel/errc.hpp"

namespace oriel {

// Completion of a request is *local*: the source is reusable and the result usable; completion at
// the target takes a flush. On routes where an operation ends before it returns (mapped memory,
// process_vm, the owner's agent) a request is born complete and costs four bytes, so any number may
// be outstanding.
class request {
 public:
  request() noexcept = default;
  explicit request(status result) noexcept : result_(result) {}

  // True once locally complete.
  [[nodiscard]] bool test() const noexcept { return true; }
  // Returns what the operation returned.
  status wait() noexcept { return result_; }

 private:
  status result_;
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
