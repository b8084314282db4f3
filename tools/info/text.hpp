// The sections, as a person reads them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace oriel::tools {

std::string providers_text(const nlohmann::ordered_json&);
std::string kinds_text(const nlohmann::ordered_json&);
std::string topology_text(const nlohmann::ordered_json&);
std::string environment_text(const nlohmann::ordered_json&);

}  // namespace oriel::tools
