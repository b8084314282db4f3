#include "win/construct/verdict.hpp"

#include <algorithm>
#include <string>

namespace oriel::win {
namespace {

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::string title(std::span<const construction_request> requests) {
  return "window " + quoted(requests[0].window()) + ": ";
}

// One field in which the ranks must not differ; or not those that it `concerns`.
struct difference {
  errc code;
  const char* what;
  bool (*same)(const construction_request&, const construction_request&);
  std::string (*print)(const construction_request&);
  bool (*concerns)(const construction_request&) = nullptr;
};

using request = construction_request;

bool of_a_device(const request& r) noexcept {
  return r.where == place::device_memory || r.where == place::managed_memory || r.pinned;
}

const difference differences[] = {
    {errc::mismatched_assertions, "assertions",
     [](const request& a, const request& b) { return a.assertions == b.assertions; },
     [](const request& r) { return to_string(r.promised()); }},
    {errc::mismatched_assertions, "base datatypes",
     [](const request& a, const request& b) {
       return a.base_hash == b.base_hash && a.extent == b.extent;
     },
     [](const request& r) {
       return std::string(r.base == primitive::opaque ? "one" : name(r.base)) + " of extent " +
              std::to_string(r.extent) + " bytes";
     }},
    {errc::mismatched_assertions, "op sets",
     [](const request& a, const request& b) { return a.ops == b.ops; },
     [](const request& r) { return to_string(op_set{r.ops}); }},
    {errc::unsupported_kind, "vendors' memory",
     [](const request& a, const request& b) { return a.vendor == b.vendor; },
     [](const request& r) { return std::string(kinds::name(r.vendor)); }, of_a_device},
    {errc::mismatched_assertions, "numbers of notification counters",
     [](const request& a, const request& b) { return a.notify_counters == b.notify_counters; },
     [](const request& r) { return std::to_string(r.notify_counters); }},
};

verdict refusals_of_arguments(std::span<const request> requests) {
  for (std::size_t r = 0; r < requests.size(); ++r)
    if (const sessions::outcome& own = requests[r].arguments; !own.ok())
      return {own.code,
              title(requests) + "rank " + std::to_string(r) + ": " + std::string(own.reason())};
  return {};
}

verdict mismatches(std::span<const request> requests) {
  for (const difference& d : differences) {
    std::size_t first = 0;
    if (d.concerns != nullptr)
      while (first < requests.size() && !d.concerns(requests[first])) ++first;
    for (std::size_t r = first + 1; r < requests.size(); ++r) {
      if (d.concerns != nullptr && !d.concerns(requests[r])) continue;
      if (d.same(requests[first], requests[r])) continue;
      return {d.code, title(requests) + "the ranks asked for different " + d.what + ": rank " +
                          std::to_string(first) + " for " + d.print(requests[first]) + ", rank " +
                          std::to_string(r) + " for " + d.print(requests[r]) +
                          "; all ranks must ask alike"};
    }
  }
  return {};
}

// The pair of ranks to name: an origin and the target that cannot be served.
std::string pair_for(assertion a, std::span<const request> requests, std::span<const int> nodes) {
  if (a == assertion::attach) return "on every rank";
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const place where = requests[r].where;
    if (a == assertion::local_load_store || a == assertion::ordered_replace ||
        a == assertion::ordered_accumulate) {
      if (where == place::device_memory) return "on rank " + std::to_string(r);
      continue;
    }
    const bool remote = a == assertion::remote_load_store && nodes[r] != nodes[0];
    if (!remote && (where == place::node_memory || where == place::nowhere)) continue;
    return "from rank " + std::to_string(r == 0 ? 1 : 0) + " to rank " + std::to_string(r);
  }
  return "on every rank";
}

verdict unsupported(std::span<const request> requests, std::span<const int> nodes) {
  const window_facts facts = facts_of(requests, nodes);
  std::string text;
  const auto list = [&](std::string_view assertion_name, const std::string& whom,
                        std::string_view why) {
    text += text.empty() ? "cannot provide " : "; ";
    text += "assertion::" + std::string(assertion_name) + " " + whom + ": " + std::string(why);
  };
  for (const assertion a : all_assertions) {
    if (!requests[0].promised().has(a)) continue;
    if (const auto why = refusal(a, facts); !why.empty())
      list(name(a), pair_for(a, requests, nodes), why);
    for (std::size_t r = 0; r < requests.size(); ++r)
      if (!assertion_set{requests[r].able}.has(a))
        list(name(a), "on rank " + std::to_string(r), "that rank lacks it (ORIEL_WITHOUT)");
  }
  return text.empty() ? verdict{} : verdict{errc::unsupported_assertion, title(requests) + text};
}

}  // namespace

void add_to(window_facts& facts, const construction_request& r, bool alone) noexcept {
  const bool device = r.where == place::device_memory;
  const bool managed = r.where == place::managed_memory;
  facts.any_private = facts.any_private || (!alone && r.where == place::private_memory);
  facts.any_device = facts.any_device || device;
  facts.any_managed = facts.any_managed || managed;
  facts.any_closed = facts.any_closed || (!alone && (managed || (device && !r.openable)));
  facts.registered = facts.registered && (!device || r.registered);
  facts.device_atomics = facts.device_atomics && (!device || r.device_atomics);
  facts.asynchronous = facts.asynchronous || r.asynchronous;
}

window_facts facts_of(std::span<const construction_request> requests, std::span<const int> nodes) {
  window_facts facts;
  facts.how = requests[0].how;
  facts.ranks = static_cast<int>(requests.size());
  facts.neighbours = false;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const bool alone = std::count(nodes.begin(), nodes.end(), nodes[r]) == 1;
    facts.one_node = facts.one_node && nodes[r] == nodes[0];
    facts.neighbours = facts.neighbours || !alone;
    add_to(facts, requests[r], alone);
  }
  return facts;
}

verdict judge(std::span<const construction_request> requests, std::span<const int> nodes) {
  if (verdict v = refusals_of_arguments(requests); v.code != errc::success) return v;
  if (verdict v = mismatches(requests); v.code != errc::success) return v;
  return unsupported(requests, nodes);
}

}  // namespace oriel::win
