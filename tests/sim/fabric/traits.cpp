#include "tests/sim/fabric/traits.hpp"

#include <rdma/fabric.h>

#include <array>

namespace oriel::sim {

provider_traits drawn_traits(std::uint64_t number) {
  const auto draw = [&number](std::uint64_t below) {
    const std::uint64_t drawn = number % below;
    number /= below;
    return drawn;
  };
  provider_traits t;
  const std::uint64_t kind = draw(4);
  switch (kind) {
    case 0:  // as it is over sockets: all in order, and lanes
      t.order = FI_ORDER_STRICT;
      t.inject_size = 128;
      break;
    case 1:
      t.name = "verbs;ofi_rxm";
      t.order = FI_ORDER_SAS | FI_ORDER_SAW | FI_ORDER_WAW | FI_ORDER_RAW;
      t.confirms_delivery = false;
      t.progresses_alone = true;
      t.wants_registration = t.chooses_keys = true;
      t.data_bytes = 4;
      break;
    case 2:
      t.name = "cxi";
      t.order = FI_ORDER_SAS;
      t.progresses_alone = true;
      t.wakes = false;
      t.inject_size = 192;
      break;
    default:
      t.name = "efa";
      t.order = FI_ORDER_SAS;
      t.wants_registration = t.chooses_keys = true;
      t.wakes = draw(2) == 0;
      t.data_bytes = 4;
      t.inject_size = 32;
  }
  constexpr std::array<std::uint64_t, 4> refusals{3, 20, 200, 100'000};
  constexpr std::array<std::size_t, 3> under_way{2, 16, 256};
  t.posts_between_refusals = refusals[draw(refusals.size())];
  t.most_under_way = under_way[draw(under_way.size())];
  if (draw(3) == 0) t.longest = 65536;
  t.tells_of_the_dead = draw(2) == 0;
  if (kind == 0 && draw(2) == 0) t.rails = 2 + static_cast<int>(draw(2));
  t.refuses_the_dead = draw(2) == 0;
  return t;
}

}  // namespace oriel::sim
