// What one window has to do with devices, as one process holds it.
#pragma once

#include <memory>
#include <mutex>

#include "win/device_window.hpp"
#include "win/kernel_access.hpp"
#include "win/route/origin_staging.hpp"

namespace oriel::win {

struct window_devices {
  std::unique_ptr<device_window> memory;  // when memory of this node is a device's, or managed
  std::unique_ptr<pinned_memory> pinned;  // when devices reach the node's memory
  bool stages = false;  // origins may lie in memory that the host cannot load and store
  std::unique_ptr<origin_staging> staging;  // made when it is first needed
  std::mutex late;                          // for what is made after construction
  std::unique_ptr<kernel_access> kernels;   // once a kernel's view has been made
};

}  // namespace oriel::win
