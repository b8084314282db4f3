// What the real loader gets from the Level Zero test driver: tables of its functions. The loader
// passes tables that are zero, and refuses calls of functions that are not in them.
#include "tests/drivers/level_zero_driver.hpp"

#pragma GCC visibility push(default)
#include <level_zero/ze_ddi.h>

extern "C" {

ze_result_t zeGetGlobalProcAddrTable(ze_api_version_t, ze_global_dditable_t* table) {
  table->pfnInit = zeInit;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetDriverProcAddrTable(ze_api_version_t, ze_driver_dditable_t* table) {
  table->pfnGet = zeDriverGet;
  table->pfnGetApiVersion = zeDriverGetApiVersion;
  table->pfnGetExtensionFunctionAddress = zeDriverGetExtensionFunctionAddress;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetDeviceProcAddrTable(ze_api_version_t, ze_device_dditable_t* table) {
  table->pfnGet = zeDeviceGet;
  table->pfnGetSubDevices = zeDeviceGetSubDevices;
  table->pfnGetProperties = zeDeviceGetProperties;
  table->pfnGetCommandQueueGroupProperties = zeDeviceGetCommandQueueGroupProperties;
  table->pfnGetMemoryAccessProperties = zeDeviceGetMemoryAccessProperties;
  table->pfnGetModuleProperties = zeDeviceGetModuleProperties;
  table->pfnCanAccessPeer = zeDeviceCanAccessPeer;
  table->pfnGetP2PProperties = zeDeviceGetP2PProperties;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetContextProcAddrTable(ze_api_version_t, ze_context_dditable_t* table) {
  table->pfnCreate = zeContextCreate;
  table->pfnDestroy = zeContextDestroy;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetCommandQueueProcAddrTable(ze_api_version_t, ze_command_queue_dditable_t* table) {
  table->pfnCreate = zeCommandQueueCreate;
  table->pfnDestroy = zeCommandQueueDestroy;
  table->pfnExecuteCommandLists = zeCommandQueueExecuteCommandLists;
  table->pfnSynchronize = zeCommandQueueSynchronize;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetCommandListProcAddrTable(ze_api_version_t, ze_command_list_dditable_t* table) {
  table->pfnCreate = zeCommandListCreate;
  table->pfnCreateImmediate = zeCommandListCreateImmediate;
  table->pfnDestroy = zeCommandListDestroy;
  table->pfnClose = zeCommandListClose;
  table->pfnReset = zeCommandListReset;
  table->pfnAppendMemoryCopy = zeCommandListAppendMemoryCopy;
  table->pfnAppendMemoryFill = zeCommandListAppendMemoryFill;
  table->pfnAppendBarrier = zeCommandListAppendBarrier;
  table->pfnAppendLaunchKernel = zeCommandListAppendLaunchKernel;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetModuleProcAddrTable(ze_api_version_t, ze_module_dditable_t* table) {
  table->pfnCreate = zeModuleCreate;
  table->pfnDestroy = zeModuleDestroy;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetKernelProcAddrTable(ze_api_version_t, ze_kernel_dditable_t* table) {
  table->pfnCreate = zeKernelCreate;
  table->pfnSetArgumentValue = zeKernelSetArgumentValue;
  table->pfnSetGroupSize = zeKernelSetGroupSize;
  return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetMemProcAddrTable(ze_api_version_t, ze_mem_dditable_t* table) {
  table->pfnAllocHost = zeMemAllocHost;
  table->pfnAllocDevice = zeMemAllocDevice;
  table->pfnAllocShared = zeMemAllocShared;
  table->pfnFree = zeMemFree;
  table->pfnGetAllocProperties = zeMemGetAllocProperties;
  table->pfnGetAddressRange = zeMemGetAddressRange;
  table->pfnGetIpcHandle = zeMemGetIpcHandle;
  table->pfnOpenIpcHandle = zeMemOpenIpcHandle;
  table->pfnCloseIpcHandle = zeMemCloseIpcHandle;
  return ZE_RESULT_SUCCESS;
}

}  // extern "C"
