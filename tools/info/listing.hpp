// What providers say of themselves.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "transport/provider.hpp"

namespace oriel::tools {

// Every provider that libfabric lists for what oriel asks, in libfabric's order, those first that a
// session would choose from by itself: {"version", "choice", "providers": [{"name", "says"}]}.
nlohmann::ordered_json list_providers();

// As a session would ask for it, and with more. Null when there is no such provider.
transport::info_list find_provider(const std::string& name, std::uint64_t more_caps = 0,
                                   fi_progress data_progress = FI_PROGRESS_UNSPEC);

}  // namespace oriel::tools
