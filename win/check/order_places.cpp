#include "win/check/order_places.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

template <class Work>
void with_places(which_places which, Work work) {
  for (std::size_t i = 0; i < atomic_places; ++i)
    if ((which >> i & 1) != 0) work(i);
}

// The places of one rank, or the first of those of all on its node.
order_request place_there(const window_core& core, rank r, order_place which,
                          which_places places) noexcept {
  return {.first = static_cast<std::uint32_t>(place_of(core, r, which)), .mask = places};
}
order_request places_of_all(const window_core& core, rank r, order_place which,
                            which_places places) noexcept {
  return {.first = static_cast<std::uint32_t>(places_of_fences) + static_cast<std::uint32_t>(which),
          .mask = places,
          .step = static_cast<std::uint32_t>(places_of_rank),
          .count = core.routes.checks->ranks_beside(r)};
}

}  // namespace

bool hears_of_all(const window_core& core) noexcept {
  return core.routes.remote == nullptr ||
         (core.routes.checks != nullptr && !core.agreed.plan.device);
}

void learn_from(window_core& core, rank r, order_place which, which_places places) noexcept {
  sessions::vector_clock& clock = clock_of(core);
  if (!hears_of_all(core)) return clock.learn_everything();
  if (log_of(core, r) == nullptr)
    return core.routes.checks->learn(r, place_there(core, r, which, places));
  with_places(places,
              [&](std::size_t i) { clock.learn(place_at(core, place_of(core, r, which) + i)); });
}

void tell_at(window_core& core, rank r, order_place which, which_places places) noexcept {
  if (log_of(core, r) != nullptr)
    with_places(places, [&](std::size_t i) {
      clock_of(core).tell(place_at(core, place_of(core, r, which) + i));
    });
  else if (core.routes.checks != nullptr)
    core.routes.checks->tell(r, place_there(core, r, which, places));
}

void learn_from_all(window_core& core, order_place which, which_places places) noexcept {
  if (!hears_of_all(core)) return clock_of(core).learn_everything();
  for (const int r : core.group->node_members()) learn_from(core, rank{r}, which, places);
  if (far_checks* const far = core.routes.checks.get())
    far->with_other_nodes([&](rank r) { far->learn(r, places_of_all(core, r, which, places)); });
}

void tell_at_all(window_core& core, order_place which) noexcept {
  for (const int r : core.group->node_members()) tell_at(core, rank{r}, which);
  if (far_checks* const far = core.routes.checks.get())
    far->with_other_nodes([&](rank r) { far->tell(r, places_of_all(core, r, which, 1)); });
}

}  // namespace oriel::win
