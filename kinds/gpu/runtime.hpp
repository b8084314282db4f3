// gpu_runtime whole, as the vendors' kinds use it, and how it is loaded.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kinds/gpu/atomics.hpp"
#include "kinds/gpu/gpu_runtime.hpp"
#include "kinds/gpu/memory.hpp"
#include "kinds/gpu/transfer.hpp"

namespace oriel::kinds {

// What `load_<kind>` does: the library and its devices, then the runtime over them.
template <class Api>
loaded_runtime load_gpu_runtime() {
  auto api = std::make_unique<Api>();
  if (std::string why = api->load(); !why.empty()) return {nullptr, std::move(why)};
  return {std::make_unique<gpu_runtime<Api>>(std::move(api)), {}};
}

}  // namespace oriel::kinds
