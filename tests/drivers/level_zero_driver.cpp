// A Level Zero driver without a GPU: the driver, its devices and its contexts. Copies are in
// level_zero_driver_lists.cpp and memory in level_zero_driver_memory.cpp. Functions behave as the
// specification documents them, as far as oriel and libfabric call them.
#include "tests/drivers/level_zero_driver.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "tests/drivers/kept.hpp"

namespace oriel::test_driver {
namespace {

constexpr int most_devices = 8;

_ze_driver_handle_t driver;
std::array<_ze_device_handle_t, most_devices> device_handles;
std::atomic<pid_t> owner{0};

int count() {
  return std::min(devices(), most_devices);
}

// The way in which Level Zero lists things: how many there are, or as many as there is room for.
template <class Handle, class Get>
ze_result_t give_list(std::uint32_t* n, Handle* to, std::uint32_t there_are, Get get) {
  if (to == nullptr || *n == 0) {
    *n = there_are;
    return ZE_RESULT_SUCCESS;
  }
  *n = std::min(*n, there_are);
  for (std::uint32_t i = 0; i < *n; ++i) to[i] = get(i);
  return ZE_RESULT_SUCCESS;
}

ze_result_t pin(ze_driver_handle_t, void* memory, std::size_t bytes) {
  return traced("zexDriverImportExternalPointer", text_of(memory) + ", " + std::to_string(bytes),
                [&](std::string&) {
                  return device_heap::instance().pin(memory, bytes) == heap_status::ok
                             ? ZE_RESULT_SUCCESS
                             : ZE_RESULT_ERROR_INVALID_ARGUMENT;
                });
}

ze_result_t unpin(ze_driver_handle_t, void* memory) {
  return traced("zexDriverReleaseImportedPointer", text_of(memory), [&](std::string&) {
    return device_heap::instance().unpin(memory) == heap_status::ok
               ? ZE_RESULT_SUCCESS
               : ZE_RESULT_ERROR_INVALID_ARGUMENT;
  });
}

[[gnu::destructor]] void at_the_end_of_the_process() {
  if (initialized()) device_heap::instance().report_leaks();
}

}  // namespace

bool initialized() {
  return owner.load() == getpid();
}

ze_device_handle_t device_handle(int ordinal) {
  return ordinal >= 0 && ordinal < count() ? &device_handles[static_cast<std::size_t>(ordinal)]
                                           : nullptr;
}

int ordinal_of(ze_device_handle_t device) {
  return device != nullptr && device_handle(device->ordinal) == device ? device->ordinal : -1;
}

}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

ze_result_t zeInit(ze_init_flags_t) {
  return traced("zeInit", "", [](std::string&) {
    if (devices() == 0) return ZE_RESULT_ERROR_UNINITIALIZED;
    for (int d = 0; d < most_devices; ++d) device_handles[static_cast<std::size_t>(d)].ordinal = d;
    pid_t before = 0;
    if (!owner.compare_exchange_strong(before, getpid()) && before != getpid())
      return ZE_RESULT_ERROR_UNINITIALIZED;  // after a fork
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeDriverGet(std::uint32_t* n, ze_driver_handle_t* drivers) {
  return traced("zeDriverGet", "", [&](std::string&) {
    return give_list(n, drivers, 1, [](std::uint32_t) { return &driver; });
  });
}

ze_result_t zeDriverGetApiVersion(ze_driver_handle_t, ze_api_version_t* version) {
  *version = ZE_API_VERSION_CURRENT;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetExtensionFunctionAddress(ze_driver_handle_t, const char* name,
                                                void** address) {
  return traced("zeDriverGetExtensionFunctionAddress", name, [&](std::string&) {
    if (std::strcmp(name, "zexDriverImportExternalPointer") == 0)
      *address = reinterpret_cast<void*>(pin);
    else if (std::strcmp(name, "zexDriverReleaseImportedPointer") == 0)
      *address = reinterpret_cast<void*>(unpin);
    else
      return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeDeviceGet(ze_driver_handle_t, std::uint32_t* n, ze_device_handle_t* to) {
  return traced("zeDeviceGet", "", [&](std::string&) {
    return give_list(n, to, static_cast<std::uint32_t>(count()),
                     [](std::uint32_t i) { return device_handle(static_cast<int>(i)); });
  });
}

ze_result_t zeDeviceGetSubDevices(ze_device_handle_t, std::uint32_t* n, ze_device_handle_t* to) {
  return traced("zeDeviceGetSubDevices", "", [&](std::string&) {
    return give_list(n, to, 0, [](std::uint32_t) -> ze_device_handle_t { return nullptr; });
  });
}

ze_result_t zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t* to) {
  return traced("zeDeviceGetProperties", std::to_string(ordinal_of(device)), [&](std::string&) {
    if (ordinal_of(device) < 0) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    to->type = ZE_DEVICE_TYPE_GPU;
    to->flags = 0;
    to->uuid = {};
    to->uuid.id[0] = static_cast<std::uint8_t>(1 + machine_device(ordinal_of(device)));
    to->maxMemAllocSize = memory_limit();
    std::snprintf(to->name, sizeof to->name, "test device");
    return ZE_RESULT_SUCCESS;
  });
}

// Like the real ones: a group that computes and copies, then one that only copies.
ze_result_t zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t, std::uint32_t* n,
                                                   ze_command_queue_group_properties_t* to) {
  return traced("zeDeviceGetCommandQueueGroupProperties", "", [&](std::string&) {
    return give_list(n, to, 2, [](std::uint32_t i) {
      ze_command_queue_group_properties_t group{};
      group.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
      group.flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
      if (i == 0) group.flags |= ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
      group.maxMemoryFillPatternSize = 1;
      group.numQueues = 1;
      return group;
    });
  });
}

ze_result_t zeDeviceGetMemoryAccessProperties(ze_device_handle_t,
                                              ze_device_memory_access_properties_t* to) {
  return traced("zeDeviceGetMemoryAccessProperties", "", [&](std::string&) {
    constexpr ze_memory_access_cap_flags_t plain = ZE_MEMORY_ACCESS_CAP_FLAG_RW,
                                           atomic =
                                               plain | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
    to->hostAllocCapabilities = refuses("host_atomics") ? plain : atomic;
    to->deviceAllocCapabilities = plain;
    to->sharedSingleDeviceAllocCapabilities = refuses("managed") ? 0u : atomic;
    to->sharedCrossDeviceAllocCapabilities = 0;
    to->sharedSystemAllocCapabilities = 0;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeDeviceCanAccessPeer(ze_device_handle_t device, ze_device_handle_t peer,
                                  ze_bool_t* can) {
  return traced("zeDeviceCanAccessPeer", "", [&](std::string&) {
    *can = device == peer || !refuses("peer") ? 1 : 0;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeDeviceGetP2PProperties(ze_device_handle_t, ze_device_handle_t,
                                     ze_device_p2p_properties_t* to) {
  return traced("zeDeviceGetP2PProperties", "", [&](std::string&) {
    to->flags = refuses("peer") ? 0 : ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS;
    if (!refuses("peer_atomics")) to->flags |= ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeContextCreate(ze_driver_handle_t, const ze_context_desc_t*,
                            ze_context_handle_t* context) {
  return traced("zeContextCreate", "", [&](std::string&) {
    *context = kept<_ze_context_handle_t>::make(new _ze_context_handle_t);
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeContextDestroy(ze_context_handle_t context) {
  return traced("zeContextDestroy", "", [&](std::string&) {
    kept<_ze_context_handle_t>::destroy(context);
    return ZE_RESULT_SUCCESS;
  });
}

}  // extern "C"
