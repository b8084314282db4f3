#include "kinds/provider.hpp"

#include <algorithm>
#include <array>

#include "kinds/device_kind.hpp"
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {
namespace {

// What a kind defines, whether this machine has it or not.
std::optional<provider> definition(std::string_view kind) {
  if (kind == "system") return provider{"system", {}};
  if (kind == "mpi") return provider{"mpi", {"alloc_mem", "win_allocate", "win_allocate_shared"}};
  const auto v = vendor_named(kind);
  if (!v) return std::nullopt;
  provider p{std::string(kind), {}};
  for (const residence r : all_residences) p.restrictors.emplace(name(*v, r));
  return p;
}

void add_what_is_lacking(provider& p, vendor v) {
  const device_runtime* const there = runtime(v);
  if (there == nullptr) {
    p.absent = why_absent(v);
    return;
  }
  for (const residence r : all_residences)
    if (std::string why = there->lacks(r); !why.empty()) p.lacking.emplace(name(v, r), why);
}

}  // namespace

std::optional<provider> find_provider(std::string_view kind) {
  auto p = definition(kind);
  if (const auto v = vendor_named(kind)) add_what_is_lacking(*p, *v);
  return p;
}

bool defines(std::string_view kind, const std::set<std::string>& restrictors) {
  const auto p = definition(kind);
  return p && std::includes(p->restrictors.begin(), p->restrictors.end(), restrictors.begin(),
                            restrictors.end());
}

std::span<const std::string_view> known_kinds() noexcept {
  static constexpr auto kinds = [] {
    std::array<std::string_view, 2 + vendor_count> names{"system", "mpi"};
    for (const vendor v : all_vendors) names[2 + static_cast<std::size_t>(v)] = name(v);
    return names;
  }();
  return kinds;
}

}  // namespace oriel::kinds
