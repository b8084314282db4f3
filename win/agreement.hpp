// The verdict on a window, computed by every rank from the same requests and therefore the same on
// every rank.
#pragma once

#include <span>
#include <string>

#include "oriel/errc.hpp"
#include "win/choose_route.hpp"
#include "win/construction_request.hpp"

namespace oriel::win {

struct verdict {
  errc code = errc::success;
  std::string text;  // a full sentence with ranks and values
};

// `same_node[r]`: whether rank r is on the node of rank 0.
verdict agree(std::span<const construction_request> requests, std::span<const bool> same_node);

// The facts that plan_window needs, out of the requests.
window_facts facts_of(std::span<const construction_request> requests,
                      std::span<const bool> same_node);

}  // namespace oriel::win
