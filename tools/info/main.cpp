// oriel-info: what oriel finds on this host. docs/PROVIDERS.md describes its first section.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "oriel/errc.hpp"
#include "tools/info/probe.hpp"
#include "tools/info/sections.hpp"
#include "tools/info/text.hpp"

int main(int argc, char** argv) {
  using namespace oriel::tools;
  bool providers = false, kinds = false, topology = false, environment = false, as_json = false;
  std::vector<std::string> names;
  double patience = 4;
  CLI::App app{
      "Reports what oriel finds on this host; without an option for a section, all of them.",
      "oriel-info"};
  app.add_flag("--providers", providers, "libfabric's providers: what they claim and what they do");
  app.add_flag("--kinds", kinds, "kinds of memory");
  app.add_flag("--topology", topology, "processors and memory");
  app.add_flag("--environment", environment, "variables that oriel reads");
  app.add_flag("--json", as_json, "print JSON");
  app.add_option("--provider", names, "only this provider, as 'tcp;ofi_rxm'; may be repeated")
      ->needs("--providers");
  app.add_option("--patience", patience, "seconds that each trial of a provider may take")
      ->check(CLI::Range(0.1, 60.0));
  try {
    app.parse(argc, argv);
    const bool all = !providers && !kinds && !topology && !environment;
    // First, so that the trials' processes are forked from one that has loaded nothing yet.
    nlohmann::ordered_json found;
    if (all || providers)
      found["providers"] =
          providers_section(names, std::chrono::milliseconds(static_cast<long>(patience * 1000)));
    if (all || kinds) found["kinds"] = kinds_section();
    if (all || topology) found["topology"] = topology_section();
    if (all || environment) found["environment"] = environment_section();
    if (as_json) {
      fmt::print("{}\n", found.dump(2));
      return 0;
    }
    std::string text;
    const auto add = [&](const char* key, auto render) {
      if (found.contains(key)) text += (text.empty() ? "" : "\n") + render(found[key]);
    };
    add("providers", providers_text);
    add("kinds", kinds_text);
    add("topology", topology_text);
    add("environment", environment_text);
    fmt::print("{}", text);
    return 0;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const oriel::error& e) {
    fmt::print(stderr, "oriel-info: {}\n", e.what());
    return 2;
  }
}
