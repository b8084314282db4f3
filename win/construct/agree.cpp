#include "win/construct/agree.hpp"

#include <algorithm>
#include <string>

#include "session/team/collective_attempt.hpp"
#include "win/construct/request_digest.hpp"
#include "win/construct/verdict.hpp"

namespace oriel::win {
namespace {

sessions::collective_call call_of(const construction_request& mine) noexcept {
  return construction_call(mine.how);
}

window_facts facts_if_alike(const detail::team_state& group, const construction_request& mine) {
  window_facts facts;
  facts.how = mine.how;
  facts.ranks = group.size();
  facts.one_node = false;
  facts.neighbours = group.where().nodes() < group.size();
  add_to(facts, mine, !facts.neighbours);
  return facts;
}

constexpr const char* no_room = "there is no memory for what the other ranks ask for";

// Room for the requests of `n` ranks. A rank without it refuses, and takes part all the same.
bool make_room(agreement& agreed, std::size_t n, construction_request& mine) noexcept {
  sessions::outcome made;
  sessions::attempt(made, [&] { agreed.requests.resize(n); });
  if (!made.ok()) mine.arguments.fail(errc::no_mem, no_room);
  return made.ok();
}

// False when requests differ, or cannot be granted: the same on every rank.
bool agree_by_digest(detail::team_state& group, construction_request& mine, agreement& agreed) {
  make_room(agreed, group.node_members().size(), mine);
  request_digest all = request_digest::of(mine);
  if (const errc e = group.combine(call_of(mine), all, request_digest::merge); e != errc::success)
    cannot_construct(group, mine.window(), e);
  const window_facts& facts = agreed.facts = facts_if_alike(group, mine);
  const bool refused = std::any_of(all_assertions.begin(), all_assertions.end(), [&](assertion a) {
    return mine.promised().has(a) && !refusal(a, facts).empty();
  });
  // Where ranks differ they may differ about `refused`, but never about this:
  if (!all.uniform(mine.promised()) || refused) return false;
  agreed.uniform = true;
  if (const errc e =
          group.node_allgather(call_of(mine), &mine, sizeof mine, agreed.requests.data());
      e != errc::success)
    cannot_construct(group, mine.window(), e);
  agreed.plan = plan_window(mine.promised(), facts);
  return true;
}

// Between nodes the requests of a node go through the rank that leads, so all must have room.
void make_room_everywhere(detail::team_state& group, construction_request& mine,
                          agreement& agreed) {
  sessions::outcome room;
  if (!make_room(agreed, static_cast<std::size_t>(group.size()), mine))
    room.fail(errc::no_mem, no_room);
  if (const errc e = sessions::settle(group, call_of(mine), room); e != errc::success)
    cannot_construct(group, mine.window(), e);
  if (!room.ok()) sessions::fail_alike(mine.title(), room);
}

}  // namespace

void cannot_construct(const detail::team_state& group, std::string_view window, errc code) {
  throw error(code, "window '" + std::string(window) + "': rank " + std::to_string(group.me()) +
                        " cannot construct it: " + group.reason(code));
}

agreement agree(detail::team_state& group, construction_request mine) {
  agreement agreed;
  bool room = true;
  if (group.all_on_node())
    room = make_room(agreed, static_cast<std::size_t>(group.size()), mine);
  else if (agree_by_digest(group, mine, agreed))
    return agreed;
  else
    make_room_everywhere(group, mine, agreed);
  if (const errc e = group.allgather(call_of(mine), &mine, sizeof mine,
                                     room ? agreed.requests.data() : nullptr);
      e != errc::success)
    cannot_construct(group, mine.window(), e);
  if (!room) sessions::fail_alike(mine.title(), {errc::no_mem, group.me(), mine.arguments.text});
  const std::span<const int> nodes = group.where().node_of();
  const verdict v = judge(agreed.requests, nodes);
  if (v.code != errc::success) throw error(v.code, v.text);
  agreed.facts = facts_of(agreed.requests, nodes);
  agreed.plan = plan_window(mine.promised(), agreed.facts);
  return agreed;
}

}  // namespace oriel::win
