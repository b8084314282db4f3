// The names of device kinds and their restrictors, as vendors and residences.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

// "cuda" is vendor::cuda.
std::optional<vendor> vendor_named(std::string_view kind) noexcept;
// "shared" is residence::managed of Level Zero, and of no other vendor.
std::optional<residence> residence_named(vendor, std::string_view restrictor) noexcept;

// "cuda:device".
std::string kind_text(vendor, residence);

}  // namespace oriel::kinds
