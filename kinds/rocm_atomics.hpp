// Atomics of the kind `rocm`: the kernel that is embedded in the library, launched once a call.
#pragma once

#include <memory>
#include <string>

#include "kinds/atomic_task.hpp"
#include "kinds/rocm_library.hpp"
#include "oriel/errc.hpp"

namespace oriel::kinds {

// What `apply` needs on one device. Any thread; calls take turns. REQUIRES: the device is the
// calling thread's current one, and `library` outlives the object.
class rocm_atomics {
 public:
  explicit rocm_atomics(const rocm_library& library);
  ~rocm_atomics();
  rocm_atomics(const rocm_atomics&) = delete;
  rocm_atomics& operator=(const rocm_atomics&) = delete;

  // Why there are none; empty when there are. Loads the kernel at the first call.
  [[nodiscard]] std::string lacks();

  // `operands_reached` and `results_reached`: kernels reach that memory; what they do not reach
  // goes through a small block of pinned memory, piece by piece.
  errc apply(const atomic_task& task, hipStream_t stream, bool operands_reached,
             bool results_reached) noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace oriel::kinds
