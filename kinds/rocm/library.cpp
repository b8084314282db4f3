#include "kinds/rocm/library.hpp"

#include <type_traits>

#include "kinds/vendor_library.hpp"

namespace oriel::kinds {
namespace {

// Calls visit(member, name, function) for every entry point: the one list of them. The function is
// the header's declaration, so that a table that disagrees with the header does not compile.
#define ORIEL_HIP(member, name) \
  visit(                        \
      library.member, #name,    \
      [](auto type) constexpr { return static_cast<typename decltype(type)::type>(&(name)); })

template <class T>
struct type_of {
  using type = T;
};

template <class Visitor>
void each_entry(rocm_library& library, Visitor&& visit) {
  ORIEL_HIP(init, hipInit);
  ORIEL_HIP(runtime_version, hipRuntimeGetVersion);
  ORIEL_HIP(device_count, hipGetDeviceCount);
  ORIEL_HIP(set_device, hipSetDevice);
  ORIEL_HIP(get_device, hipGetDevice);
  ORIEL_HIP(device_name, hipDeviceGetName);
  ORIEL_HIP(device_attribute, hipDeviceGetAttribute);
  ORIEL_HIP(device_uuid, hipDeviceGetUuid);
  ORIEL_HIP(can_access_peer, hipDeviceCanAccessPeer);
  ORIEL_HIP(p2p_attribute, hipDeviceGetP2PAttribute);
  ORIEL_HIP(enable_peer_access, hipDeviceEnablePeerAccess);
  ORIEL_HIP(last_error, hipGetLastError);
  ORIEL_HIP(error_name, hipGetErrorName);
  ORIEL_HIP(error_text, hipGetErrorString);
  ORIEL_HIP(allocate_device, hipMalloc);
  ORIEL_HIP(allocate_host, hipHostMalloc);
  ORIEL_HIP(allocate_managed, hipMallocManaged);
  ORIEL_HIP(free_device, hipFree);
  ORIEL_HIP(free_host, hipHostFree);
  ORIEL_HIP(register_host, hipHostRegister);
  ORIEL_HIP(unregister_host, hipHostUnregister);
  ORIEL_HIP(pointer_attributes, hipPointerGetAttributes);
  ORIEL_HIP(pointer_attribute, hipPointerGetAttribute);
  ORIEL_HIP(address_range, hipMemGetAddressRange);
  ORIEL_HIP(create_stream, hipStreamCreateWithFlags);
  ORIEL_HIP(synchronize_stream, hipStreamSynchronize);
  ORIEL_HIP(query_stream, hipStreamQuery);
  ORIEL_HIP(copy_async, hipMemcpyAsync);
  ORIEL_HIP(set_async, hipMemsetAsync);
  ORIEL_HIP(ipc_export, hipIpcGetMemHandle);
  ORIEL_HIP(ipc_open, hipIpcOpenMemHandle);
  ORIEL_HIP(ipc_close, hipIpcCloseMemHandle);
  ORIEL_HIP(load_module, hipModuleLoadData);
  ORIEL_HIP(module_function, hipModuleGetFunction);
  ORIEL_HIP(launch, hipModuleLaunchKernel);
}
#undef ORIEL_HIP

}  // namespace

bool rocm_library::failed(const char* call, hipError_t code) const noexcept {
  if (code == hipSuccess) return false;
  last_failed_call<hipError_t>() = {call, code};
  (void)last_error();
  return true;
}

std::string rocm_library::last_failure() const {
  return text_of_last_failure<hipError_t>([this](hipError_t code) {
    const std::string name = error_name(code);
    const std::string text = error_text(code);  // HIP 5 repeats the name
    return text == name ? name : name + " (" + text + ")";
  });
}

#if defined(__HIP_PLATFORM_NVIDIA__)

std::string rocm_library::load() {
  each_entry(*this, [](auto& member, const char*, auto function) {
    member = function(type_of<std::remove_reference_t<decltype(member)>>{});
  });
  return {};
}

#else

std::string rocm_library::load() {
  // The entry points that are used are the same in HIP 5 and 6; the name without a version comes
  // last because it is that of a development package.
  vendor_library from("the HIP library",
                      {"libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so"});
  each_entry(*this, [&](auto& member, const char* name, auto function) {
    static_assert(std::is_invocable_v<decltype(function),
                                      type_of<std::remove_reference_t<decltype(member)>>>);
    from.find(member, name);
  });
  // HIP 5.2's header lacks some of these.
  from.find_if_there(launch_host_function, "hipLaunchHostFunc");
  from.find_if_there(stream_wait_value, "hipStreamWaitValue64");
  from.find_if_there(stream_is_capturing, "hipStreamIsCapturing");
  from.find_if_there(allocate_with_flags, "hipExtMallocWithFlags");
  from.find_if_there(exchange_capture_mode, "hipThreadExchangeStreamCaptureMode");
  return from.why_absent();
}

#endif

}  // namespace oriel::kinds
