#include "tools/info/probe.hpp"

#include <algorithm>

#include "oriel/errc.hpp"
#include "tools/info/apart.hpp"
#include "tools/info/listing.hpp"
#include "tools/info/trials.hpp"

namespace oriel::tools {
namespace {

using std::chrono::milliseconds;

class prober {
 public:
  prober(std::string name, milliseconds limit) : name_(std::move(name)), limit_(limit) {}

  json all() {
    json does;
    const auto arrival = [](how_complete how) {
      return [how](pair& p) { return arrival_trial(p, how); };
    };
    does["plain_write"] = tried(arrival(how_complete::plain));
    // Where no write even completes, nothing else will: seconds are spared.
    if (does["plain_write"].contains("failed") || does["plain_write"]["completed"] == 0)
      return does;
    does["delivery_complete"] = tried(arrival(how_complete::delivery));
    does["read_back"] = tried(arrival(how_complete::read_back));
    does["completion"] = works(does["delivery_complete"]) ? "delivery"
                         : works(does["read_back"])       ? "read"
                                                          : "acknowledge";
    does["sleeping_target"] = tried(sleeping_target_trial);
    does["sleeping_target_auto"] = tried(sleeping_target_trial, 0, FI_PROGRESS_AUTO);
    does["order"] = tried(order_trial);
    does["inject"] = tried([](pair& p) { return inject_trial(p, false); });
    does["inject_beyond"] = tried([](pair& p) { return inject_trial(p, true); });
    does["atomics"] = tried(atomics_trial, FI_ATOMIC);
    if (works(does["atomics"])) does["coherent_atomics"] = tried(coherence_trial, FI_ATOMIC);
    json memory;
    memory["system"] = apart(1, limit_, [&](int, stage&) { return host_memory_trial(name_); });
    for (const kinds::vendor v : kinds::all_vendors)
      memory[std::string(kinds::name(v))] =
          apart(1, limit_, [&](int, stage&) { return device_memory_trial(name_, v); });
    does["memory"] = memory;
    return does;
  }

 private:
  static bool works(const json& trial) { return trial.value("works", false); }

  template <class Trial>
  json tried(Trial trial, std::uint64_t more_caps = 0,
             fi_progress data_progress = FI_PROGRESS_UNSPEC) {
    return apart(2, limit_, [&](int side, stage& shared) -> json {
      const transport::info_list info = find_provider(name_, more_caps, data_progress);
      if (info == nullptr) return {{"works", false}, {"offered", false}};
      pair p(*info, side, shared);
      return trial(p);
    });
  }

  std::string name_;
  milliseconds limit_;
};

}  // namespace

json providers_section(const std::vector<std::string>& names, milliseconds limit) {
  // Some providers look for their hardware for longer than a trial lasts.
  constexpr milliseconds listing_limit{10'000};
  json section = apart(1, listing_limit, [](int, stage&) { return list_providers(); });
  if (section.contains("failed"))
    return {{"providers", json::array()},
            {"error", "libfabric's list of providers: " + section["failed"].get<std::string>()}};
  json kept = json::array();
  for (json& p : section["providers"]) {
    const std::string name = p["name"];
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    p["does"] = prober(name, limit).all();
    kept.push_back(p);
  }
  for (const std::string& name : names)
    if (std::none_of(kept.begin(), kept.end(), [&](const json& p) { return p["name"] == name; }))
      throw error(errc::arg, "libfabric lists no provider '" + name + "' here");
  section["providers"] = kept;
  return section;
}

}  // namespace oriel::tools
