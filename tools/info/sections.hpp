// The sections of oriel-info that do not use the network.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace oriel::tools {

nlohmann::ordered_json kinds_section();
nlohmann::ordered_json topology_section();
nlohmann::ordered_json environment_section();

}  // namespace oriel::tools
