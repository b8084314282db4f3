#include "win/check/noted_access.hpp"

#include "win/check/order_places.hpp"
#include "win/check/same_memory.hpp"
#include "win/route/peer_words.hpp"

namespace oriel::win {

void begin_access(detail::window_core& core, shadow_access& made, call_site at) {
  made.origin = core.me();
  const auto start = clock_of(core).begin();
  made.begun = start.at;
  made.period = start.period;
  keep_site(made.at, at);
}

std::string overlaps(detail::window_core& core, const shadow_access& other,
                     const shadow_access& made) {
  return "overlaps " + describe(other, core.group->session().found()) +
         (of_two_threads(other, made) ? " by another thread" : "") + ", and nothing orders them";
}

std::optional<std::string> note_access(detail::window_core& core, rank owner, shadow_access made,
                                       call_site at) {
  shadow_log_state* const state = log_of(core, owner);
  if (state == nullptr) return std::nullopt;
  begin_access(core, made, at);
  shadow_log log(*state, core.epochs.world_me, core.group->watch());
  const auto other = log.note(made, order_of(core));
  if (!other) {
    // Loads and stores are noted in all windows' logs (watched_memory).
    if (made.kind == access_kind::load || made.kind == access_kind::store) return std::nullopt;
    auto elsewhere = core.group->session().extension<same_memory>().conflict(core, owner, made);
    if (elsewhere) log.take_back(made);
    return elsewhere;
  }
  return overlaps(core, *other, made);
}

}  // namespace oriel::win
