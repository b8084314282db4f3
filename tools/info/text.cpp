#include "tools/info/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace oriel::tools {
namespace {

using json = nlohmann::ordered_json;

std::string joined(const json& words) {
  std::string text;
  for (const json& w : words) text += (text.empty() ? "" : ", ") + w.get<std::string>();
  return text.empty() ? "none" : text;
}

std::string line(const char* what, const std::string& told) {
  return fmt::format("    {:<22} {}\n", what, told);
}

// "yes: …", "no: …", or why there is no answer.
template <class Detail>
std::string outcome(const json& trial, Detail detail) {
  if (trial.contains("failed")) return "failed: " + trial["failed"].get<std::string>();
  if (!trial.value("offered", true)) return "not offered";
  std::string text = trial.value("works", false) ? "yes" : "no";
  const std::string more = detail(trial);
  if (!more.empty()) text += ": " + more;
  if (trial.contains("error")) text += " (" + trial["error"].get<std::string>() + ")";
  return text;
}

std::string arrival(const json& t) {
  return fmt::format("of {} writes completed, {} were there", t["completed"].get<int>(),
                     t["arrived"].get<int>());
}

std::string sleeping(const json& t) {
  if (!t.contains("write_arrives")) return "";
  const auto word = [&](const char* key) { return t[key].get<bool>() ? "yes" : "no"; };
  return fmt::format("a write arrives {}, a read completes {}, a delivered write completes {}",
                     word("write_arrives"), word("read_completes"), word("delivery_completes"));
}

std::string order(const json& t) {
  return fmt::format("{} of {} messages met receives in order, {} completed in order",
                     t["matched_in_order"].get<int>(), t["messages"].get<int>(),
                     t["completed_in_order"].get<int>());
}

std::string inject(const json& t) {
  return fmt::format("{} bytes said, {} taken, {} of {} messages intact", t["said"].get<int>(),
                     t["largest"].get<int>(), t["intact"].get<int>(), t["messages"].get<int>());
}

std::string coherence(const json& t) {
  return fmt::format("{} of {} additions lost, beside {} by the target's processor",
                     t["lost"].get<long>(), t["fetch_adds"].get<long>(),
                     t["additions_by_the_target"].get<long>());
}

std::string memory(const json& t) {
  if (t.contains("failed")) return outcome(t, [](const json&) { return ""; });
  if (t["works"].get<bool>()) return "yes";
  std::string text = "no: " + t["why_not"].get<std::string>();
  if (t.contains("refusal"))
    text += "; libfabric has no support either: " + t["refusal"].get<std::string>();
  if (t.value("takes_any_memory", false)) text += "; it takes any memory for a device's";
  return text;
}

std::string what_it_says(const json& s) {
  std::string text = "  says\n";
  text += line("capabilities", joined(s["caps"]));
  text += line("registration", joined(s["mr_mode"]));
  text += line("message order", joined(s["msg_order"]));
  text += line("inject size", std::to_string(s["inject_size"].get<std::size_t>()));
  text +=
      line("progress", fmt::format("control {}, data {}", s["control_progress"].get<std::string>(),
                                   s["data_progress"].get<std::string>()));
  text += line("atomics, HMEM", fmt::format("{}, {}", s["atomics"].get<bool>() ? "yes" : "no",
                                            s["hmem"].get<bool>() ? "yes" : "no"));
  return text;
}

// Operations that there are on the same types go on one line.
std::vector<std::pair<std::string, std::string>> by_types(const json& valid) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& [op, types] : valid.items()) {
    const std::string key = joined(types);
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.second == key; });
    if (row == rows.end())
      rows.emplace_back(op, key);
    else
      row->first += ", " + op;
  }
  return rows;
}

std::string what_it_does(const json& d) {
  std::string text = "  does\n";
  const auto add = [&](const char* what, const char* key, auto detail) {
    if (d.contains(key)) text += line(what, outcome(d[key], detail));
  };
  add("plain write", "plain_write", arrival);
  add("delivery complete", "delivery_complete", arrival);
  add("write, read back", "read_back", arrival);
  if (d.contains("completion"))
    text += line("oriel completes by", d["completion"].get<std::string>());
  add("sleeping target", "sleeping_target", sleeping);
  add("the same, auto", "sleeping_target_auto", sleeping);
  add("message order", "order", order);
  add("inject", "inject", inject);
  add("inject, longer", "inject_beyond", inject);
  add("fetch-add", "atomics", [](const json&) { return ""; });
  add("beside the processor's", "coherent_atomics", coherence);
  if (d.contains("atomics") && d["atomics"].contains("valid"))
    for (const auto& [ops, types] : by_types(d["atomics"]["valid"]))
      text += line("there are", std::string(ops).append(": ").append(types));
  if (d.contains("memory"))
    for (const auto& [iface, t] : d["memory"].items())
      text += line((iface + " memory").c_str(), memory(t));
  return text;
}

}  // namespace

std::string providers_text(const json& section) {
  std::string text;
  if (section.contains("error")) return "providers: " + section["error"].get<std::string>() + "\n";
  text = fmt::format("providers (libfabric {})\n", section["libfabric"].get<std::string>());
  if (section["providers"].empty()) text += "  none\n";
  for (const json& p : section["providers"]) {
    const bool chosen = p["name"] == section["choice"];
    text +=
        fmt::format("\n{} {}, domain {}{}\n", p["name"].get<std::string>(),
                    p["says"]["version"].get<std::string>(), p["says"]["domain"].get<std::string>(),
                    chosen ? ": a session's first choice here" : "");
    if (p.contains("known_fault"))
      text += "  not to be relied on: " + p["known_fault"].get<std::string>() + "\n";
    text += what_it_says(p["says"]) + what_it_does(p["does"]);
  }
  return text;
}

std::string kinds_text(const json& section) {
  std::string text = "memory kinds\n";
  for (const json& k : section["kinds"]) {
    const std::string kind = k["kind"];
    if (!k["available"].get<bool>()) {
      text += line(kind.c_str(), "no: " + k["reason"].get<std::string>());
      continue;
    }
    const json& restrictors = k["restrictors"];
    const bool unrestricted = restrictors.empty() && k["lacking"].empty();
    text += line(kind.c_str(), unrestricted ? "yes" : "yes: " + joined(restrictors));
    for (const auto& [r, why] : k["lacking"].items())
      text += line("", "no " + r + ": " + why.get<std::string>());
    for (const json& d : k.value("devices", json::array())) {
      text += line("", fmt::format("device {}: {}", d["ordinal"].get<int>(),
                                   d["description"].get<std::string>()));
      for (const auto& [key, what] :
           {std::pair{"lacks_atomics", "atomics"}, std::pair{"lacks_ipc", "IPC"}})
        if (d.contains(key))
          text += line("", fmt::format("  no {}: {}", what, d[key].get<std::string>()));
    }
  }
  text += line("a session requests", section["requested"].get<std::string>());
  text += line("and provides", section["provided"].get<std::string>());
  if (section.contains("error")) text += line("", section["error"].get<std::string>());
  return text;
}

std::string topology_text(const json& section) {
  if (section.contains("error")) return "topology: " + section["error"].get<std::string>() + "\n";
  std::string firsts;
  for (const json& p : section["first_processor_of_core"])
    firsts += (firsts.empty() ? "" : ", ") + std::to_string(p.get<int>());
  return "topology\n" + line("this process may use", section["summary"].get<std::string>()) +
         line("NUMA nodes", std::to_string(section["numa_nodes"].get<int>())) +
         line("cores begin at", firsts) +
         (section.contains("drawing") ? line("drawn in", section["drawing"].get<std::string>())
                                      : "");
}

std::string environment_text(const json& section) {
  std::string text = "environment\n";
  for (const json& v : section) {
    const std::string name = v["name"];
    text += v["value"].is_null()
                ? fmt::format("    {}\n", name)
                : fmt::format("    {} = '{}'\n", name, v["value"].get<std::string>());
    text += fmt::format("        {}", v["meaning"].get<std::string>());
    if (!v["default"].get<std::string>().empty())
      text += fmt::format("; default: {}", v["default"].get<std::string>());
    text += "\n";
  }
  return text;
}

}  // namespace oriel::tools
