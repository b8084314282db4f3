// What is tried of a provider. Each is run by both sides of a pair, in processes of their own (see
// apart.hpp); the origin's return value is the result.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "kinds/device_runtime.hpp"
#include "tools/info/pair.hpp"

namespace oriel::tools {

using json = nlohmann::ordered_json;

// A write that completes: was it in the target's memory by then? The target makes progress, with
// pauses in which a write that has not arrived can be seen not to have.
enum class how_complete { plain, delivery, read_back };
json arrival_trial(pair&, how_complete);
// Whether anything happens at a target that makes no libfabric call.
json sleeping_target_trial(pair&);

// 1000 messages of several lengths: which receive did each meet?
json order_trial(pair&);
// Tries whether injected messages whose buffer is overwritten at once arrive as they were: of the
// length that the provider claims, or, `beyond`, up to the first that it refuses.
json inject_trial(pair&, bool beyond);

// A fetch-add, and which operations there are on which types. The pair's provider has FI_ATOMIC.
json atomics_trial(pair&);
// Fetch-adds on a word that a thread of the target adds to, too: is every one counted?
json coherence_trial(pair&);

// Whether the host's memory can be registered, and a device's. One process each.
json host_memory_trial(const std::string& provider);
json device_memory_trial(const std::string& provider, kinds::vendor);

}  // namespace oriel::tools
