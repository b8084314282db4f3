#include "kinds/provider.hpp"

#include <array>

#include "kinds/device_kind.hpp"

namespace oriel::kinds {
namespace {

provider device_provider(vendor v) {
  provider p{std::string(name(v)), {}};
  for (const residence r : all_residences) p.restrictors.emplace(name(v, r));
  const device_runtime* const there = runtime(v);
  if (there == nullptr) {
    p.absent = why_absent(v);
    return p;
  }
  for (const residence r : all_residences)
    if (std::string why = there->lacks(r); !why.empty()) p.lacking.emplace(name(v, r), why);
  return p;
}

}  // namespace

std::optional<provider> find_provider(std::string_view kind) {
  if (kind == "system") return provider{"system", {}};
  if (kind == "mpi") return provider{"mpi", {"alloc_mem", "win_allocate", "win_allocate_shared"}};
  if (const auto v = vendor_named(kind)) return device_provider(*v);
  return std::nullopt;
}

std::span<const std::string_view> known_kinds() noexcept {
  static constexpr std::array<std::string_view, 5> kinds{"system", "mpi", "cuda", "rocm",
                                                         "level_zero"};
  return kinds;
}

}  // namespace oriel::kinds
