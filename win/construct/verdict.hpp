// The verdict on a window, computed by every rank from the same requests and therefore the same on
// every rank.
#pragma once

#include <span>
#include <string>

#include "oriel/errc.hpp"
#include "win/construct/request.hpp"
#include "win/construct/window_plan.hpp"

namespace oriel::win {

struct verdict {
  errc code = errc::success;
  std::string text;  // a full sentence with ranks and values
};

// `nodes[r]`: the number of the node that rank r is on.
verdict judge(std::span<const construction_request> requests, std::span<const int> nodes);

// One rank's memory, among the facts. `alone`: no other rank of the team is on its node.
void add_to(window_facts&, const construction_request&, bool alone) noexcept;
// The facts that plan_window needs, out of the requests.
window_facts facts_of(std::span<const construction_request> requests, std::span<const int> nodes);

}  // namespace oriel::win
