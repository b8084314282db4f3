// Atomics of the kind `rocm`: the kernel that is embedded in the library, launched once a call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kinds/device_runtime.hpp"
#include "kinds/rocm/library.hpp"

namespace oriel::kinds {

// How a kernel comes by operands or results.
enum class way : std::uint8_t {
  direct,        // it reaches the memory
  through_host,  // the host loads and stores it, by the block of pinned memory
  through_copy,  // the vendor copies it to or from that block
};

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

  // REQUIRES: `task` is one that kernels do. What they do not reach goes piece by piece;
  // `copier` makes the copies.
  errc apply(const atomic_task& task, hipStream_t stream, way operands, way results,
             device_runtime& copier) noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace oriel::kinds
