#include <rdma/fi_errno.h>
#include <stdlib.h>

#include <array>

#include "info/device_memory.hpp"
#include "info/listing.hpp"
#include "info/trials.hpp"

namespace oriel::report {
namespace {

constexpr std::array ifaces{std::pair{"system", FI_HMEM_SYSTEM}, std::pair{"cuda", FI_HMEM_CUDA},
                            std::pair{"rocr", FI_HMEM_ROCR}, std::pair{"ze", FI_HMEM_ZE}};

fi_hmem_iface iface_named(const std::string& name) {
  for (const auto& [known, iface] : ifaces)
    if (name == known) return iface;
  return FI_HMEM_SYSTEM;
}

}  // namespace

json memory_trial(const std::string& provider, const std::string& iface) {
  constexpr std::size_t bytes = 4096;
  transport::info_list info = find_provider(provider, FI_HMEM);
  json result;
  const bool offered = info != nullptr;
  // One that does not offer it may be asked all the same: it should refuse.
  if (!offered) info = find_provider(provider);
  if (info == nullptr) return {{"failed", "the provider is gone"}};
  transport::endpoint port(*info);
  // Without a device, host memory: whoever takes that for a device's has not looked.
  void* memory = device_memory(iface, bytes);
  const bool is_device = memory != nullptr;
  if (!is_device) memory = aligned_alloc(4096, bytes);
  iovec place{memory, bytes};
  fi_mr_attr about{};
  about.mr_iov = &place;
  about.iov_count = 1;
  about.access = FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  about.requested_key = 1;
  about.iface = iface_named(iface);
  fid_mr* made = nullptr;
  const int code = fi_mr_regattr(port.raw_domain(), &about, 0, &made);
  const transport::handle<fid_mr> region(made);
  const bool right_memory = is_device || about.iface == FI_HMEM_SYSTEM;
  result["works"] = code == 0 && right_memory;
  result["offered"] = offered;
  result["memory"] = is_device ? "device" : "host";
  result["registered"] = code == 0;
  if (code != 0) result["error"] = fi_strerror(-code);
  return result;
}

}  // namespace oriel::report
