#include "kinds/classify.hpp"

namespace oriel::kinds {

std::optional<device_allocation> classify(const void* p) noexcept {
  if (!any_runtime_loaded()) return std::nullopt;
  for (int v = 0; v < vendor_count; ++v)
    if (const device_runtime* const r = loaded(static_cast<vendor>(v)))
      if (const auto a = r->classify(p)) return a;
  return std::nullopt;
}

}  // namespace oriel::kinds
