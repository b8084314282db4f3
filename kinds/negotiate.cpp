#include "kinds/negotiate.hpp"

#include <algorithm>

#include "kinds/grammar.hpp"
#include "oriel/errc.hpp"

namespace oriel::kinds {
namespace {

bool can_provide(const element& e, std::span<const provider> available) {
  return std::any_of(available.begin(), available.end(), [&e](const provider& p) {
    return p.kind == e.kind && std::includes(p.restrictors.begin(), p.restrictors.end(),
                                             e.restrictors.begin(), e.restrictors.end());
  });
}

}  // namespace

std::string provided_kinds(const std::optional<std::string>& requested_by_launcher,
                           const std::optional<std::string>& requested_by_session,
                           std::span<const provider> available) {
  const auto& requested = requested_by_session ? requested_by_session : requested_by_launcher;
  std::string provided;
  for (const element& e : parse_elements(requested.value_or("mpi,system"))) {
    if (!can_provide(e, available)) continue;
    if (!provided.empty()) provided += ',';
    provided += e.text;
  }
  return provided;
}

std::optional<memory_kind_list> accepted_assertion(std::string_view asserted,
                                                   const memory_kind_list& provided) {
  try {
    memory_kind_list list;
    for (const element& e : parse_elements(asserted)) {
      if (!provided.contains(e.text)) return std::nullopt;
      list.add(e.kind, e.restrictors);
    }
    return list;
  } catch (const error&) {
    return std::nullopt;
  }
}

}  // namespace oriel::kinds
