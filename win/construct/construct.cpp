// Construction in six stages. The first three compute values, from this rank's arguments and from
// all ranks' requests; the others make something, and release it where they fail. Memory of devices
// is made and opened before the third: what is refused then is planned for.
#include "win/construct/construct.hpp"

#include "win/check/order_places.hpp"
#include "win/check/same_memory.hpp"
#include "win/check/watched_memory.hpp"
#include "win/construct/ask.hpp"
#include "win/construct/publish.hpp"
#include "win/construct/try_devices.hpp"

namespace oriel::win {

std::unique_ptr<detail::window_core> build(const team& t, const construction& c) {
  if (!t.valid()) throw error(errc::arg, "a window needs a team; this rank is in none");
  detail::team_state& group = *t.state();
  const std::uint64_t id = group.next_id();
  question mine = ask(c, group);
  agreement agreed = agree(group, mine.request);
  // All ranks have begun, and none has returned.
  const std::uint64_t begun =
      group.session().check() ? group.session().extension<sessions::vector_clock>().time() : 0;
  tried_devices tried = try_devices(group, c, mine.mine, id, agreed);
  const blueprint b = plan(t, c, mine, agreed, id);
  reserved room = reserve(b, tried);
  opened part = open(b, std::move(mine.core), std::move(room), std::move(tried));
  auto made = publish(b, std::move(part));
  // All ranks have met; so they have where one is freed.
  if (made->agreed.checked) {
    clock_of(*made).learn_everything_until(begun);
    group.session().extension<watched_memory>().add(*made);
    group.session().extension<same_memory>().add(*made);
  }
  return made;
}

}  // namespace oriel::win
