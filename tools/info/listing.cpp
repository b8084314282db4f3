#include "tools/info/listing.hpp"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "session/node/network_interface.hpp"

namespace oriel::tools {
namespace {

using json = nlohmann::ordered_json;
using transport::info_list;

info_list ask(const fi_info* hints) {
  fi_info* found = nullptr;
  if (hints == nullptr || fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints, &found) != 0)
    return nullptr;
  return info_list(found);
}

// libfabric's own words for a set of bits, "FI_MSG, FI_RMA".
json words(std::uint64_t bits, fi_type type) {
  std::array<char, 4096> text{};
  fi_tostr_r(text.data(), text.size(), &bits, type);
  json list = json::array();
  const std::string all = text.data();
  for (std::size_t at = all.find("FI_"); at != std::string::npos;) {
    const std::size_t end = std::min(all.find(',', at), all.size());
    list.push_back(all.substr(at, end - at));
    at = all.find("FI_", end);
  }
  return list;
}

std::string progress(fi_progress p) {
  return p == FI_PROGRESS_AUTO ? "auto" : p == FI_PROGRESS_MANUAL ? "manual" : "unspecified";
}

// Providers offer no more than is requested, and some not all of it at once: several requests
// together show what each could do.
std::map<std::string, std::uint64_t> all_capabilities() {
  std::map<std::string, std::uint64_t> caps;
  for (const std::uint64_t more : std::initializer_list<std::uint64_t>{0, FI_ATOMIC, FI_HMEM}) {
    const info_list wanted = transport::hints();
    if (wanted == nullptr) return {};
    // Where nothing is requested, they list all that costs them nothing.
    wanted->caps = more == 0 ? 0 : wanted->caps | more;
    const info_list all = ask(wanted.get());
    for (const fi_info* i = all.get(); i != nullptr; i = i->next)
      caps[transport::provider_name(*i)] |= i->caps;
  }
  return caps;
}

json what_it_says(const fi_info& i, std::uint64_t caps) {
  const std::uint32_t version = i.fabric_attr->prov_version;
  return {{"version", std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version))},
          {"domain", i.domain_attr->name == nullptr ? "" : i.domain_attr->name},
          {"caps", words(caps, FI_TYPE_CAPS)},
          {"atomics", (caps & FI_ATOMIC) != 0},
          {"hmem", (caps & FI_HMEM) != 0},
          {"mr_mode", words(static_cast<std::uint64_t>(i.domain_attr->mr_mode), FI_TYPE_MR_MODE)},
          {"mr_key_size", i.domain_attr->mr_key_size},
          {"msg_order", words(i.tx_attr->msg_order, FI_TYPE_MSG_ORDER)},
          {"inject_size", i.tx_attr->inject_size},
          {"max_msg_size", i.ep_attr->max_msg_size},
          {"control_progress", progress(i.domain_attr->control_progress)},
          {"data_progress", progress(i.domain_attr->data_progress)}};
}

}  // namespace

json list_providers() {
  const std::uint32_t version = fi_version();
  json section{
      {"libfabric", std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version))}};
  const auto usable = transport::usable_providers(sessions::named_interfaces());
  section["choice"] = nullptr;
  if (!usable.empty()) section["choice"] = transport::provider_name(*usable.front());
  const auto caps = all_capabilities();
  json list = json::array();
  const auto add = [&](const fi_info& i) {
    const std::string name = transport::provider_name(i);
    for (const json& known : list)
      if (known["name"] == name) return;
    const auto found = caps.find(name);
    list.push_back(
        {{"name", name}, {"says", what_it_says(i, found == caps.end() ? i.caps : found->second)}});
    if (const std::string fault = transport::known_fault(name, version); !fault.empty())
      list.back()["known_fault"] = fault;
  };
  for (const info_list& i : usable) add(*i);
  const info_list wanted = transport::hints();
  const info_list all = ask(wanted.get());
  for (const fi_info* i = all.get(); i != nullptr; i = i->next) add(*i);
  section["providers"] = list;
  return section;
}

info_list find_provider(const std::string& name, std::uint64_t more_caps,
                        fi_progress data_progress) {
  const info_list wanted = transport::hints();
  if (wanted == nullptr) return nullptr;
  wanted->caps |= more_caps;
  if (data_progress != FI_PROGRESS_UNSPEC) wanted->domain_attr->data_progress = data_progress;
  wanted->fabric_attr->prov_name = strdup(name.c_str());
  return ask(wanted.get());
}

}  // namespace oriel::tools
