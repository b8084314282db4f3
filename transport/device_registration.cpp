#include "transport/device_registration.hpp"

#include <rdma/fi_errno.h>

#include <memory>

#include "transport/device_interface.hpp"

namespace oriel::transport {

std::string objection(const registration_trial& trial, kinds::vendor whose) {
  if (!trial.claimed) return trial.provider + " does not offer FI_HMEM";
  if (!trial.code) return trial.no_memory;
  if (*trial.code == 0) return {};
  return trial.provider + " claims FI_HMEM but does not register " +
         std::string(interface_name(whose)) +
         ": fi_mr_regattr: " + libfabric_library().strerror(-*trial.code);
}

registration_trial try_registration(endpoint& port, kinds::vendor whose) {
  constexpr std::size_t page = 4096;
  registration_trial trial{provider_name(port.info()), (port.info().caps & FI_HMEM) != 0, {}, {}};
  if (!trial.claimed) return trial;
  if (interface_of(whose) == FI_HMEM_SYSTEM) {
    trial.no_memory = "libfabric has no interface for this kind";
    return trial;
  }
  kinds::device_runtime* const runtime = kinds::runtime(whose);
  if (runtime == nullptr) {
    trial.no_memory = kinds::why_absent(whose);
    return trial;
  }
  try {
    const device_place at{whose, kinds::residence::device, runtime->current_device().value_or(0)};
    const auto free = [runtime](std::byte* memory) { runtime->free(memory); };
    const std::unique_ptr<std::byte, decltype(free)> memory(
        runtime->allocate(at.device, at.where, page), free);
    trial.code = port.try_to_register(memory.get(), page, at);
  } catch (const error& none) {
    trial.no_memory = none.what();
  }
  return trial;
}

}  // namespace oriel::transport
