#include "win/construct/hints_in_force.hpp"

#include <string>

#include "kinds/negotiate.hpp"
#include "oriel/memory_kinds.hpp"
#include "session/alignment_hint.hpp"
#include "session/move_hint.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

constexpr const char* kinds_asserted = "mpi_assert_memory_alloc_kinds";

}  // namespace

info hints_in_force(const detail::window_core& core) {
  info in_force;
  const info& asked = core.agreed.asked_hints;
  if (core.agreed.how == flavor::allocate) {
    in_force.set("alloc_shared_noncontig", asked.get("alloc_shared_noncontig").value_or("false"));
    in_force.set("mpi_minimum_memory_alignment",
                 std::to_string(sessions::alignment_hint(asked, 1)));
  }
  in_force.set("oriel_aggregate", core.agreed.aggregate ? "true" : "false");
  if (core.agreed.how == flavor::create)
    in_force.set("oriel_move_private", sessions::moves_private(asked) ? "true" : "false");
  const bool ordered =
      core.agreed.promised.has_any(assertion::ordered_accumulate | assertion::ordered_replace);
  in_force.set("accumulate_ordering", ordered ? "rar,raw,war,waw" : "none");
  const info& team_hints = *core.agreed.team_hints;
  for (const char* key : {"mpi_memory_alloc_kinds", kinds_asserted})
    if (const auto value = team_hints.get(key)) in_force.set(key, *value);
  // The window's own assertion beats its team's, unless it is to be ignored.
  if (const auto own = asked.get(kinds_asserted)) {
    const auto provided = memory_kind_list::parse(*team_hints.get("mpi_memory_alloc_kinds"));
    if (kinds::accepted_assertion(*own, provided)) in_force.set(kinds_asserted, *own);
  }
  return in_force;
}

}  // namespace oriel::win
