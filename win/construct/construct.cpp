// Construction in six stages. The first three compute values, from this rank's arguments and from
// all ranks' requests; the others make something, and release it where they fail.
#include "win/construct/construct.hpp"

#include "win/construct/ask.hpp"
#include "win/construct/publish.hpp"

namespace oriel::win {

std::unique_ptr<detail::window_core> build(const team& t, const construction& c) {
  if (!t.valid()) throw error(errc::arg, "a window needs a team; this rank is in none");
  detail::team_state& group = *t.state();
  const std::uint64_t id = group.next_id();
  question mine = ask(c, group);
  const agreement agreed = agree(group, mine.request);
  const blueprint b = plan(t, c, mine, agreed, id);
  reserved room = reserve(b);
  opened part = open(b, std::move(mine.core), std::move(room));
  return publish(b, std::move(part));
}

}  // namespace oriel::win
