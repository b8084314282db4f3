// Whether a provider registers memory of a device kind: what it claims, and the result of a real
// registration of a little of that memory.
//
// A provider that does not claim FI_HMEM is not used for it, whatever fi_mr_regattr returns: some
// ignore the interface in their arguments (sockets does, and so does libfabric's common code for
// any domain that was opened without FI_HMEM), and would then copy device memory as if it were the
// host's.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "kinds/device_runtime.hpp"
#include "transport/endpoint.hpp"

namespace oriel::transport {

struct registration_trial {
  std::string provider;
  bool claimed = false;     // FI_HMEM is among the capabilities that the endpoint was opened with
  std::optional<int> code;  // fi_mr_regattr's: 0 or negative; nothing when it was not called
  std::string no_memory;    // why there was none to try with
};

// Empty when the provider registers the vendor's memory, else why it is taken not to.
std::string objection(const registration_trial&, kinds::vendor);

// Allocates a page of the vendor's current device, registers it and gives both back. Loads the
// vendor's runtime, unless the provider does not even claim FI_HMEM.
registration_trial try_registration(endpoint&, kinds::vendor);

// The answers of a session's provider, by vendor: empty, or the reason why not.
class device_registrations {
 public:
  device_registrations() { why_not_.fill("the session provides no memory of this kind"); }
  [[nodiscard]] const std::string& operator[](kinds::vendor v) const noexcept {
    return why_not_[static_cast<std::size_t>(v)];
  }
  void answer(kinds::vendor v, std::string why_not) {
    why_not_[static_cast<std::size_t>(v)] = std::move(why_not);
  }

 private:
  std::array<std::string, kinds::vendor_count> why_not_;
};

}  // namespace oriel::transport
