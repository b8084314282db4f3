#include "tools/info/sections.hpp"

#include <nlohmann/json.hpp>

#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/known_variables.hpp"
#include "session/node/topology.hpp"

namespace oriel::tools {

using json = nlohmann::ordered_json;

json topology_section() {
  try {
    const sessions::topology t = sessions::read_topology();
    return {{"summary", t.summary},
            {"cores", t.cores},
            {"processors", t.processors},
            {"numa_nodes", t.numa_nodes},
            {"first_processor_of_core", t.first_processor}};
  } catch (const error& e) {
    return {{"error", e.what()}};
  }
}

json environment_section() {
  json list = json::array();
  for (const sessions::variable_entry& v : sessions::known_variables()) {
    const auto value = sessions::variable(std::string(v.name).c_str());
    json entry{{"name", v.name}, {"default", v.default_value}, {"meaning", v.meaning}};
    if (!value)
      entry["value"] = nullptr;
    else
      entry["value"] = v.secret ? "(set, not shown)" : *value;
    list.push_back(entry);
  }
  return list;
}

}  // namespace oriel::tools
