#include "kinds/rocm/devices.hpp"

#include <cstring>

namespace oriel::kinds {

std::string rocm_devices::load() {
  if (std::string why = hip_.load(); !why.empty()) return why;
  if (hip_.failed("hipGetDeviceCount", hip_.device_count(&count_)) ||
      hip_.failed("hipRuntimeGetVersion", hip_.runtime_version(&version_)))
    return last_failure();
  if (count_ == 0) return "HIP finds no device";
#if defined(__HIP_PLATFORM_NVIDIA__)
  version_ = HIP_VERSION;  // CUDA's own version says nothing of the header over it
#endif
  return {};
}

std::string rocm_devices::describe(int device) const {
  char name[256] = "";
  if (hip_.failed("hipDeviceGetName", hip_.device_name(name, sizeof name, device)) ||
      name[0] == '\0')
    std::strcpy(name, "unnamed device");
  return std::string(name) + ", HIP " + std::to_string(version_ / 10'000'000) + "." +
         std::to_string(version_ / 100'000 % 100);
}

// HIP does not distinguish a thread that has set device 0 from one that has set none.
std::optional<int> rocm_devices::current_device() const noexcept {
  int device = 0;
  if (hip_.failed("hipGetDevice", hip_.get_device(&device))) return std::nullopt;
  return device;
}

std::string rocm_devices::lacks(residence where) const {
#if defined(__HIP_PLATFORM_AMD__)
  if (where == residence::device && hip_.allocate_with_flags == nullptr)
    return "HIP lacks hipExtMallocWithFlags, for memory that is coherent while kernels run";
#endif
  if (where != residence::managed) return {};
  for (int device = 0; device < count_; ++device) {
    int managed = 0;
    if (hip_.failed("hipDeviceGetAttribute",
                    hip_.device_attribute(&managed, hipDeviceAttributeManagedMemory, device)))
      return last_failure();
    if (managed == 0) return "HIP's device " + std::to_string(device) + " has no managed memory";
  }
  return {};
}

device_identity rocm_devices::identity(int device) const noexcept {
  static_assert(sizeof(hipUUID) == sizeof(device_identity));
  device_identity found{};
  hipUUID id{};
  if (!hip_.failed("hipDeviceGetUuid", hip_.device_uuid(&id, device)))
    std::memcpy(found.data(), &id, sizeof id);
  return found;
}

std::string rocm_devices::lacks_link_atomics(int device, int other) const {
  int native = 0;
  if (!hip_.failed(
          "hipDeviceGetP2PAttribute",
          hip_.p2p_attribute(&native, hipDevP2PAttrNativeAtomicSupported, device, other)) &&
      native != 0)
    return {};
  return "HIP has no native atomics over the link from device " + std::to_string(device) +
         " to device " + std::to_string(other);
}

// An attribute that this version does not know is one that the device lacks.
std::string rocm_devices::lacks_host_atomics(int device, residence where) const {
  const bool managed = where == residence::managed;
  int native = 0;
  if (!hip_.failed("hipDeviceGetAttribute",
                   hip_.device_attribute(&native,
                                         managed ? hipDeviceAttributeConcurrentManagedAccess
                                                 : hipDeviceAttributeHostNativeAtomicSupported,
                                         device)) &&
      native != 0)
    return {};
  return "HIP's device " + std::to_string(device) +
         (managed ? " does not access managed memory coherently while the host does"
                  : " has no native atomics over its link to the host");
}

std::string rocm_devices::lacks_stream_calls(int device) const {
  if (hip_.launch_host_function == nullptr || hip_.stream_wait_value == nullptr ||
      hip_.stream_is_capturing == nullptr || hip_.allocate_with_flags == nullptr)
    return "HIP lacks hipLaunchHostFunc, hipStreamWaitValue64, hipStreamIsCapturing or "
           "hipExtMallocWithFlags";
#if defined(__HIP_PLATFORM_AMD__)
  int can = 0;
  if (hip_.failed("hipDeviceGetAttribute",
                  hip_.device_attribute(&can, hipDeviceAttributeCanUseStreamWaitValue, device)))
    return last_failure();
  if (can != 0) return {};
#endif
  return "streams of HIP's device " + std::to_string(device) + " cannot wait for words";
}

}  // namespace oriel::kinds
