#include "transport/provider.hpp"

#include <netinet/in.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "session/bootstrap/environment.hpp"
#include "session/node/topology.hpp"

namespace oriel::transport {
namespace {

// Best first. What is not listed is never chosen by itself: shm does not leave the node, udp and
// sockets are slower than tcp wherever both are, and udp loses messages besides (known_fault).
constexpr std::array preferred{"cxi", "efa", "verbs;ofi_rxm", "psm3", "opx", "tcp;ofi_rxm"};

// Returns, of several interfaces that a provider offers, the first that is wanted; null when it
// offers only others. Adapters of a fabric's own are no interfaces.
info_list on_wanted_interface(info_list all, const std::vector<std::string>& wanted) {
  if (wanted.empty() || !is_over_sockets(*all)) return all;
  for (const fi_info* i = all.get(); i != nullptr; i = i->next)
    if (is_over_sockets(*i) &&
        std::find(wanted.begin(), wanted.end(), i->domain_attr->name) != wanted.end())
      return info_list(libfabric_library().dupinfo(i));
  return nullptr;
}

// ofi_rxm looks for new connections now and then, every 10 ms unless its variable says else: so
// long the first message between two ranks took, or more. The provider reads the variable as
// libfabric is used first; it is there no longer than that, so that no child inherits it.
class prompt_connections {
 public:
  prompt_connections() : is_ours_(std::getenv(name) == nullptr && setenv(name, "200", 0) == 0) {}
  ~prompt_connections() {
    if (is_ours_) unsetenv(name);
  }
  prompt_connections(const prompt_connections&) = delete;
  prompt_connections& operator=(const prompt_connections&) = delete;

 private:
  static constexpr const char* name = "FI_OFI_RXM_CM_PROGRESS_INTERVAL";  // in microseconds
  bool is_ours_;
};

info_list ask(const char* provider, std::uint64_t more_caps = 0, const char* domain = nullptr) {
  const info_list wanted = hints();
  if (wanted == nullptr) return nullptr;
  wanted->caps |= more_caps;
  wanted->fabric_attr->prov_name = strdup(provider);
  if (domain != nullptr) wanted->domain_attr->name = strdup(domain);
  fi_info* found = nullptr;
  const int code =
      libfabric_library().getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, wanted.get(), &found);
  return info_list(code == 0 ? found : nullptr);
}

// Of several devices of one provider, the one whose bus is nearest to this process.
void bring_nearest_first(info_list& all) {
  fi_info* best = nullptr;
  int best_distance = 0;
  for (fi_info* i = all.get(); i != nullptr; i = i->next) {
    const fid_nic* const nic = i->nic;
    if (nic == nullptr || nic->bus_attr == nullptr || nic->bus_attr->bus_type != FI_BUS_PCI)
      continue;
    const fi_pci_attr& at = nic->bus_attr->attr.pci;
    const int distance =
        sessions::distance_to_pci(at.domain_id, at.bus_id, at.device_id, at.function_id);
    if (best == nullptr || distance < best_distance) {
      best = i;
      best_distance = distance;
    }
  }
  if (best != nullptr && best != all.get()) all.reset(libfabric_library().dupinfo(best));
}

}  // namespace

info_list hints() {
  info_list wanted(libfabric_library().dupinfo(nullptr));
  if (wanted == nullptr) return wanted;
  wanted->caps = FI_MSG | FI_RMA;
  wanted->mode = FI_CONTEXT | FI_CONTEXT2;
  wanted->ep_attr->type = FI_EP_RDM;
  // Every kind of registration is offered and what comes back is obeyed.
  wanted->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
                                 FI_MR_ENDPOINT | FI_MR_HMEM;
  wanted->domain_attr->threading = FI_THREAD_SAFE;
  wanted->domain_attr->resource_mgmt = FI_RM_ENABLED;
  // Messages of one sender arrive in order: accumulates to one place stay in order.
  wanted->tx_attr->msg_order = FI_ORDER_SAS;
  wanted->rx_attr->msg_order = FI_ORDER_SAS;
  return wanted;
}

std::vector<std::string> wanted_providers() {
  return sessions::variable_list("ORIEL_FABRIC");
}

std::vector<info_list> usable_providers(const std::vector<std::string>& interfaces) {
  std::vector<std::string> names = wanted_providers();
  if (names.empty()) names.assign(preferred.begin(), preferred.end());
  std::vector<info_list> usable;
  const prompt_connections while_asking;
  for (const std::string& name : names) {
    info_list found = ask(name.c_str());
    if (found != nullptr) found = on_wanted_interface(std::move(found), interfaces);
    if (found == nullptr) continue;
    bring_nearest_first(found);
    usable.push_back(std::move(found));
  }
  return usable;
}

// They name their domains after the interfaces.
bool is_over_sockets(const fi_info& i) noexcept {
  return i.nic == nullptr && i.src_addr != nullptr &&
         (i.addr_format == FI_SOCKADDR || i.addr_format == FI_SOCKADDR_IN ||
          i.addr_format == FI_SOCKADDR_IN6);
}

info_list with_device_memory(const fi_info& plain) {
  info_list found = ask(plain.fabric_attr->prov_name, FI_HMEM, plain.domain_attr->name);
  if (found == nullptr || (found->caps & FI_HMEM) == 0) return nullptr;
  return found;
}

bool loops_back(const fi_info& i, const std::string& address) noexcept {
  if (!is_over_sockets(i)) return false;
  sockaddr_storage at{};
  std::memcpy(&at, address.data(), std::min(address.size(), sizeof at));
  if (at.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(at);
    return ntohl(v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  return at.ss_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(at).sin6_addr) != 0;
}

// udpx_ep_progress wrote what it had received into a completion queue that it shares, without
// testing whether there was room: old completions came again and new ones were lost.
std::string known_fault(std::string_view provider, std::uint32_t libfabric) {
  if (provider != "udp;ofi_rxd" || FI_VERSION_GE(libfabric, FI_VERSION(2, 4))) return "";
  return "libfabric " + std::to_string(FI_MAJOR(libfabric)) + "." +
         std::to_string(FI_MINOR(libfabric)) +
         " loses and repeats messages over it under load, and operations may never complete "
         "(mended "
         "in 2.4)";
}

std::string provider_name(const fi_info& i) {
  return i.fabric_attr->prov_name;
}

}  // namespace oriel::transport
