// Work in processes of its own, so that a crash or a hang of a provider stays there.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include "tools/info/stage.hpp"

namespace oriel::tools {

using json = nlohmann::ordered_json;
// Side 0 is the origin, 1 the target. What the origin returns is the result.
using side_work = std::function<json(int side, stage&)>;

// Forks `sides` processes (1 or 2), each of which does `work`; all have ended on return. Returns
// the result of side 0, or {"failed": "…"} with the side that threw, crashed, or had not ended
// within `limit`.
json apart(int sides, std::chrono::milliseconds limit, const side_work& work);

}  // namespace oriel::tools
