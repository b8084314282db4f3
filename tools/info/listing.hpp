// What providers claim.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "transport/provider.hpp"

namespace oriel::tools {

// Returns every provider that libfabric lists for oriel's request, in libfabric's order, those
// first among which a session would choose: {"version", "choice", "providers": [{"name", "says"}]}.
nlohmann::ordered_json list_providers();

// Returns the provider as a session would request it, and with more; null where there is none.
transport::info_list find_provider(const std::string& name, std::uint64_t more_caps = 0,
                                   fi_progress data_progress = FI_PROGRESS_UNSPEC);

}  // namespace oriel::tools
