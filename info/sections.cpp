#include "info/sections.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "info/variables.hpp"
#include "kinds/negotiate.hpp"
#include "kinds/provider.hpp"
#include "oriel/errc.hpp"
#include "session/environment.hpp"
#include "session/topology.hpp"

namespace oriel::report {
namespace {

using json = nlohmann::ordered_json;

// The kinds of MPI's side document on memory allocation kinds, and what their memory comes from.
struct device_kind {
  const char* kind;
  const char* library;
};
constexpr std::array device_kinds{device_kind{"cuda", "libcuda.so.1"},
                                  device_kind{"rocm", "libamdhip64.so.5"},
                                  device_kind{"level_zero", "libze_loader.so.1"}};

bool loads(const char* library) {
  void* const found = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (found == nullptr) return false;
  dlclose(found);
  return true;
}

}  // namespace

json kinds_section() {
  json list = json::array();
  const auto known = kinds::providers();
  for (const kinds::provider& p : known)
    list.push_back({{"kind", p.kind}, {"available", true}, {"restrictors", p.restrictors}});
  for (const device_kind& d : device_kinds) {
    const bool built =
        std::any_of(known.begin(), known.end(), [&](const auto& p) { return p.kind == d.kind; });
    if (built) continue;
    const std::string runtime = loads(d.library) ? " (its runtime is here: " : " (nor is there ";
    list.push_back({{"kind", d.kind},
                    {"available", false},
                    {"reason", "this build has no such kind" + runtime + d.library + ")"}});
  }
  json section{{"kinds", list}};
  const auto requested = boot::variable("ORIEL_MEMORY_ALLOC_KINDS");
  try {
    section["provided"] = kinds::provided_kinds(requested, std::nullopt);
  } catch (const error& e) {
    section["provided"] = "";
    section["error"] = std::string("ORIEL_MEMORY_ALLOC_KINDS: ") + e.what();
  }
  return section;
}

json topology_section() {
  try {
    const boot::topology t = boot::read_topology();
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
  for (const variable_entry& v : variables()) {
    const auto value = boot::variable(std::string(v.name).c_str());
    json entry{{"name", v.name}, {"default", v.default_value}, {"meaning", v.meaning}};
    if (!value)
      entry["value"] = nullptr;
    else
      entry["value"] = v.secret ? "(set, not shown)" : *value;
    list.push_back(entry);
  }
  return list;
}

}  // namespace oriel::report
