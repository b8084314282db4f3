#include <rdma/fi_errno.h>
#include <stdlib.h>

#include <memory>

#include "tools/info/listing.hpp"
#include "tools/info/trials.hpp"
#include "transport/device_registration.hpp"

namespace oriel::tools {
namespace {

constexpr std::size_t page = 4096;

// A provider that does not offer FI_HMEM is tried all the same: it should refuse.
transport::info_list with_or_without_devices(const std::string& provider) {
  transport::info_list info = find_provider(provider, FI_HMEM);
  return info != nullptr ? std::move(info) : find_provider(provider);
}

}  // namespace

json host_memory_trial(const std::string& provider) {
  const transport::info_list info = find_provider(provider);
  if (info == nullptr) return {{"failed", "the provider is gone"}};
  transport::endpoint port(*info);
  const std::unique_ptr<void, decltype(&free)> memory(aligned_alloc(page, page), free);
  try {
    const transport::memory_region region = port.expose(memory.get(), page, 1);
    return {{"works", true}};
  } catch (const error& refused) {
    return {{"works", false}, {"why_not", refused.what()}};
  }
}

json device_memory_trial(const std::string& provider, kinds::vendor whose) {
  const transport::info_list info = with_or_without_devices(provider);
  if (info == nullptr) return {{"failed", "the provider is gone"}};
  transport::endpoint port(*info);
  const transport::registration_trial trial = transport::try_registration(port, whose);
  const std::string why_not = transport::objection(trial, whose);
  json result{{"works", why_not.empty()}, {"offered", trial.claimed}};
  if (why_not.empty()) return result;
  result["why_not"] = why_not;
  // Host memory declared as a device's: a provider that takes it has not tested it.
  const std::unique_ptr<void, decltype(&free)> memory(aligned_alloc(page, page), free);
  const transport::device_place pretended{whose, kinds::residence::device, 0};
  const int code = port.try_to_register(memory.get(), page, pretended);
  result["takes_any_memory"] = code == 0;
  if (trial.claimed && !trial.code && code != 0) result["refusal"] = fi_strerror(-code);
  return result;
}

}  // namespace oriel::tools
