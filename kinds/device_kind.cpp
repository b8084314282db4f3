#include "kinds/device_kind.hpp"

namespace oriel::kinds {

std::optional<vendor> vendor_named(std::string_view kind) noexcept {
  for (const vendor v : all_vendors)
    if (name(v) == kind) return v;
  return std::nullopt;
}

std::optional<residence> residence_named(vendor v, std::string_view restrictor) noexcept {
  for (const residence r : all_residences)
    if (name(v, r) == restrictor) return r;
  return std::nullopt;
}

std::string kind_text(vendor v, residence r) {
  return std::string(name(v)) + ":" + std::string(name(v, r));
}

}  // namespace oriel::kinds
