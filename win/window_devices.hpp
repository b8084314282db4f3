// What one window has to do with devices, as one process holds it.
#pragma once

#include <atomic>
#include <memory>

#include "sync/system.hpp"
#include "win/device_window.hpp"
#include "win/kernel_access.hpp"
#include "win/route/origin_staging.hpp"
#include "win/stream_access.hpp"

namespace oriel::win {

struct window_devices {
  std::unique_ptr<device_window> memory;  // when memory of this node is a device's, or managed
  std::unique_ptr<pinned_memory> pinned;  // when devices reach the node's memory
  bool stages = false;  // origins may lie in memory that the host cannot load and store
  sync::mutex making_staging;
  std::unique_ptr<origin_staging> staging;  // made when it is first needed
  sync::mutex late;                         // for the two below; the poller's thread takes it never
  std::unique_ptr<kernel_access> kernels;   // once a kernel's view has been made
  std::atomic<kernel_access*> serving{nullptr};  // the same, for flushes
  std::unique_ptr<stream_access> streams;        // once an operation was given to a stream
};

// What kernels that have ended requested of the host is complete. Returns its failure.
inline errc settle_kernels(window_devices& devices) noexcept {
  kernel_access* const kernels = devices.serving.load(std::memory_order_acquire);
  return kernels == nullptr ? errc::success : kernels->settle();
}

}  // namespace oriel::win
