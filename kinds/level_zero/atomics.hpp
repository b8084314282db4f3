// Atomics by one device of Level Zero: its kernel, and the memory that operands and results pass
// through.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>

#include "kinds/atomic_task.hpp"
#include "kinds/device_runtime.hpp"
#include "kinds/level_zero/device.hpp"
#include "kinds/level_zero/library.hpp"

namespace oriel::kinds {

// Any thread. REQUIRES: what it is made with outlives the object. Nothing is given back to the
// driver at the end of the process: it may be gone by then.
class level_zero_atomics {
 public:
  level_zero_atomics(const level_zero_library& library, ze_driver_handle_t driver,
                     ze_context_handle_t context, level_zero_device& device)
      : library_(library), driver_(driver), context_(context), device_(device) {}

  // Empty when the device has them, else the reason.
  [[nodiscard]] std::string lacks() const;
  // As device_runtime::apply. `runtime` makes the copies.
  errc apply(device_runtime& runtime, const atomic_task&) noexcept;

 private:
  // Kernels reach the host's memory only where it is the driver's. Everything passes through here,
  // so that operands and results may lie anywhere and at any alignment.
  static constexpr std::size_t bounce_bytes = std::size_t{128} << 10;
  struct bounce_buffer {
    alignas(4096) std::array<std::byte, bounce_bytes> operands;
    alignas(4096) std::array<std::byte, bounce_bytes> results;
  };

  // REQUIRES of these: the lock is held.
  bool prepare() noexcept;
  bool make_bounce() noexcept;
  bool make_kernel() noexcept;
  bool apply_some(device_runtime& runtime, const atomic_task& task) noexcept;
  bool launch(const atomic_task& task) noexcept;

  const level_zero_library& library_;
  ze_driver_handle_t driver_;
  ze_context_handle_t context_;
  level_zero_device& device_;
  std::mutex busy_;  // held by an atomic from its operands to its results
  ze_kernel_handle_t kernel_ = nullptr;
  bounce_buffer* bounce_ = nullptr;
};

}  // namespace oriel::kinds
