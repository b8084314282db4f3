// The registry of the kinds of device memory: their names and restrictors. Its lines are
// device_kinds.inc; code that visits every kind loops over `all_vendors` or `device_kinds`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oriel::kinds {

enum class vendor : std::uint8_t {
#define ORIEL_DEVICE_KIND(kind, managed, needed) kind,
#include "kinds/device_kinds.inc"
#undef ORIEL_DEVICE_KIND
};

// Where an allocation lives: the restrictors of MPI's device kinds, one for one. Level Zero calls
// the last one "shared".
enum class residence : std::uint8_t {
  host,     // the host's memory, reached by devices
  device,   // the device's memory: the host cannot load or store it
  managed,  // moves between them; both load and store it
};
inline constexpr std::array all_residences{residence::host, residence::device, residence::managed};

// A line of the registry.
struct device_kind {
  vendor whose;
  std::string_view name;     // "cuda"
  std::string_view managed;  // the restrictor of residence::managed
  std::string_view needed;   // what a build needs to have the kind: "HIP's headers"
};

// The line of vendor v is the one of index v.
inline constexpr std::array device_kinds{
#define ORIEL_DEVICE_KIND(kind, managed, needed) device_kind{vendor::kind, #kind, managed, needed},
#include "kinds/device_kinds.inc"
#undef ORIEL_DEVICE_KIND
};
inline constexpr std::size_t vendor_count = device_kinds.size();

inline constexpr std::array<vendor, vendor_count> all_vendors = [] {
  std::array<vendor, vendor_count> all{};
  for (std::size_t i = 0; i < vendor_count; ++i) all[i] = device_kinds[i].whose;
  return all;
}();

constexpr const device_kind& line_of(vendor v) noexcept {
  return device_kinds[static_cast<std::size_t>(v)];
}

// "cuda", "rocm", "level_zero".
constexpr std::string_view name(vendor v) noexcept {
  return line_of(v).name;
}

// As the kind's restrictor: "host", "device", "managed"; Level Zero's third is "shared".
constexpr std::string_view name(vendor v, residence r) noexcept {
  if (r == residence::managed) return line_of(v).managed;
  return r == residence::host ? "host" : "device";
}

}  // namespace oriel::kinds
