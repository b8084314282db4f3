// What a provider does, tried out.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace oriel::tools {

// Returns the section "providers": all that are listed, or those of `names` among them, with what
// each claims and does. Every trial runs in processes of its own for at most `limit`.
nlohmann::ordered_json providers_section(const std::vector<std::string>& names,
                                         std::chrono::milliseconds limit);

}  // namespace oriel::tools
