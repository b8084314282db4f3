// Which libfabric provider a job uses, and what it claims.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transport/libfabric_calls.hpp"

namespace oriel::transport {

struct free_info {
  void operator()(fi_info* i) const noexcept { libfabric_library().freeinfo(i); }
};
using info_list = std::unique_ptr<fi_info, free_info>;

// What oriel requests of every provider: reliable datagrams with messages and RMA, messages in
// order.
info_list hints();

// Providers of this host with reliable datagrams, messages and RMA, best first: those that
// ORIEL_FABRIC names, in its order, or else every one that reaches other nodes, hardware before
// sockets, and of one provider the device nearest to this process. Those over sockets are on one of
// `interfaces`, unless none is given. Empty when there is none.
std::vector<info_list> usable_providers(const std::vector<std::string>& interfaces);

// The same provider and domain with device memory (FI_HMEM); null when it does not offer that.
// Requested only when it is needed: with it, providers leave out other things, such as atomics, and
// inject less.
info_list with_device_memory(const fi_info& plain);

// As users write it: "tcp;ofi_rxm".
std::string provider_name(const fi_info&);

// Whether it uses the system's sockets, and so its interfaces.
bool is_over_sockets(const fi_info&) noexcept;

// Whether an endpoint's `address` is one that only processes of this host reach: 127.0.0.1, ::1.
bool loops_back(const fi_info&, const std::string& address) noexcept;

// Why this provider is not to be relied on in libfabric of version `libfabric` (FI_VERSION());
// empty when nothing is known against it. Such a provider is used only when ORIEL_FABRIC names it,
// and the job's first rank warns then.
std::string known_fault(std::string_view provider, std::uint32_t libfabric);

// Returns ORIEL_FABRIC, split at commas; empty where it is not set.
std::vector<std::string> wanted_providers();

}  // namespace oriel::transport
