#include "kinds/cuda/devices.hpp"

#include <cstring>

#include "kinds/cuda/kernels.hpp"

namespace oriel::kinds {
namespace {

std::string version(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

}  // namespace

std::string cuda_devices::load() {
  if (std::string why = cuda_.load(); !why.empty()) return why;
  int count = 0;
  if (cuda_.failed("cuDeviceGetCount", cuda_.device_get_count(&count))) return last_failure();
  if (count == 0) return "the CUDA driver finds no device";
  handles_.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    if (cuda_.failed("cuDeviceGet", cuda_.device_get(&handles_[static_cast<std::size_t>(i)], i)))
      return last_failure();
  return {};
}

std::string cuda_devices::describe(int device) const {
  char name[128] = "unknown device";
  if (exists(device)) cuda_.device_get_name(name, sizeof name, at(device));
  return std::string(name) + ", compute capability " + version(capability(device));
}

std::optional<int> cuda_devices::current_device() const noexcept {
  CUcontext context = nullptr;
  CUdevice found = 0;
  if (cuda_.context_get_current(&context) != CUDA_SUCCESS || context == nullptr ||
      cuda_.context_get_device(&found) != CUDA_SUCCESS)
    return std::nullopt;
  for (int i = 0; i < devices(); ++i)
    if (at(i) == found) return i;
  return std::nullopt;
}

std::string cuda_devices::lacks(residence where) const {
  if (where != residence::managed) return {};
  for (int i = 0; i < devices(); ++i)
    if (attribute(i, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) == 0)
      return "CUDA's device " + std::to_string(i) +
             " cannot access managed memory while the host does";
  return {};
}

std::string cuda_devices::lacks_handles(int device) const {
  // Older drivers lack the attribute; on Linux they have handles.
  int supported = 1;
  const CUresult r =
      cuda_.device_get_attribute(&supported, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, at(device));
  if (r != CUDA_SUCCESS || supported != 0) return {};
  return "CUDA's device " + std::to_string(device) + " has no handles for other processes";
}

std::string cuda_devices::lacks_kernels(int device) const {
  const int has = capability(device);
  const std::string which =
      "CUDA's device " + std::to_string(device) + " has compute capability " + version(has);
  if (has < 60) return which + "; atomics of system scope need 6.0";
  if (has < cuda_kernels_oldest)
    return which + "; this build has code for " + version(cuda_kernels_oldest) + " and later";
  return {};
}

std::string cuda_devices::lacks_peer_access(int device, int other) const {
  int can = 0;
  if (cuda_.failed("cuDeviceCanAccessPeer",
                   cuda_.device_can_access_peer(&can, at(device), at(other))))
    return last_failure();
  if (can != 0) return {};
  return "CUDA's device " + std::to_string(device) + " does not reach the memory of device " +
         std::to_string(other);
}

device_identity cuda_devices::identity(int device) const noexcept {
  static_assert(sizeof(CUuuid) == sizeof(device_identity));
  device_identity found{};
  CUuuid id{};
  if (cuda_.device_get_uuid != nullptr && cuda_.device_get_uuid(&id, at(device)) == CUDA_SUCCESS)
    std::memcpy(found.data(), &id, sizeof id);
  return found;
}

std::string cuda_devices::lacks_link_atomics(int device, int other) const {
  int native = 0;
  if (cuda_.device_get_p2p_attribute != nullptr &&
      cuda_.device_get_p2p_attribute(&native, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
                                     at(device), at(other)) == CUDA_SUCCESS &&
      native != 0)
    return {};
  return "CUDA has no native atomics over the link from device " + std::to_string(device) +
         " to device " + std::to_string(other);
}

// Managed memory that host and device access at once is coherent (lacks).
std::string cuda_devices::lacks_host_atomics(int device, residence where) const {
  if (where == residence::managed ||
      attribute(device, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED) != 0)
    return {};
  return "CUDA has no native atomics over the link from device " + std::to_string(device) +
         " to the host";
}

std::string cuda_devices::lacks_stream_calls(int device) const {
  if (cuda_.launch_host_function == nullptr || cuda_.stream_wait_value == nullptr ||
      cuda_.stream_is_capturing == nullptr || cuda_.exchange_capture_mode == nullptr)
    return "the CUDA driver lacks cuLaunchHostFunc, cuStreamWaitValue64_v2 or the calls of "
           "capture";
  if (attribute(device, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS) != 0) return {};
  return "streams of CUDA's device " + std::to_string(device) + " cannot wait for words of 64 bits";
}

int cuda_devices::attribute(int device, CUdevice_attribute which) const noexcept {
  int value = 0;
  if (!exists(device)) return 0;
  return cuda_.device_get_attribute(&value, which, at(device)) == CUDA_SUCCESS ? value : 0;
}

int cuda_devices::capability(int device) const noexcept {
  return 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
         attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

}  // namespace oriel::kinds
