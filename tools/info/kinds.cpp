// The section "kinds". Runtimes of devices are loaded in processes of their own.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "kinds/device_kind.hpp"
#include "kinds/device_runtime.hpp"
#include "kinds/negotiate.hpp"
#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"
#include "tools/info/apart.hpp"
#include "tools/info/sections.hpp"

namespace oriel::tools {
namespace {

// The first call to a runtime may take seconds, where there are many devices.
constexpr std::chrono::milliseconds patience{20'000};

json ask(std::string_view kind) {
  const auto p = kinds::find_provider(kind);
  json told{{"kind", kind}, {"available", p->absent.empty()}};
  if (!p->absent.empty()) {
    told["reason"] = p->absent;
    return told;
  }
  told["restrictors"] = json::array();
  told["lacking"] = json::object();
  for (const std::string& r : p->restrictors)
    if (const auto lacking = p->lacking.find(r); lacking != p->lacking.end())
      told["lacking"][r] = lacking->second;
    else
      told["restrictors"].push_back(r);
  if (const auto v = kinds::vendor_named(kind)) {
    kinds::device_runtime& runtime = *kinds::runtime(*v);
    told["devices"] = json::array();
    for (int d = 0; d < runtime.devices(); ++d) {
      json device{{"ordinal", d}, {"description", runtime.describe(d)}};
      if (const std::string why = runtime.lacks_atomics(d); !why.empty())
        device["lacks_atomics"] = why;
      if (const std::string why = runtime.lacks_ipc(d, kinds::residence::device); !why.empty())
        device["lacks_ipc"] = why;
      told["devices"].push_back(device);
    }
  }
  return told;
}

json ask_apart(std::string_view kind) {
  if (!kinds::vendor_named(kind)) return ask(kind);
  json told = apart(1, patience, [kind](int, stage&) { return ask(kind); });
  if (!told.contains("failed")) return told;
  return {{"kind", kind},
          {"available", false},
          {"reason", "its runtime was loaded in a process of its own, which failed: " +
                         told["failed"].get<std::string>()}};
}

// Returns the answers as a provider, for a negotiation that loads no runtime again.
std::optional<kinds::provider> provider_of(const json& answers, std::string_view kind) {
  const auto told = std::find_if(answers.begin(), answers.end(),
                                 [kind](const json& a) { return a["kind"] == kind; });
  if (told == answers.end()) return std::nullopt;
  kinds::provider p{std::string(kind), {}};
  if (!(*told)["available"].get<bool>()) {
    p.absent = (*told)["reason"];
    return p;
  }
  for (const json& r : (*told)["restrictors"]) p.restrictors.insert(r.get<std::string>());
  for (const auto& [r, why] : (*told)["lacking"].items()) {
    p.restrictors.insert(r);
    p.lacking.emplace(r, why.get<std::string>());
  }
  return p;
}

}  // namespace

json kinds_section() {
  json answers = json::array();
  for (const std::string_view kind : kinds::known_kinds()) answers.push_back(ask_apart(kind));
  json section{{"kinds", answers}};
  section["requested"] =
      kinds::requested_kinds(sessions::variable("ORIEL_MEMORY_ALLOC_KINDS"), std::nullopt);
  try {
    section["provided"] = kinds::provided_kinds(
        section["requested"].get<std::string>(),
        [&answers](std::string_view kind) { return provider_of(answers, kind); });
  } catch (const error& e) {
    section["provided"] = "";
    section["error"] = std::string("ORIEL_MEMORY_ALLOC_KINDS: ") + e.what();
  }
  return section;
}

}  // namespace oriel::tools
