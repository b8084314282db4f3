// The tables of the Level Zero driver interface of which the test driver has nothing. The loader
// refuses a driver that lacks any of them. Apart from the headers, which declare each with a type
// of its own: none of the types matters where the table stays as the loader made it, which is
// empty.
extern "C" {
#pragma GCC visibility push(default)

#define ORIEL_EMPTY_TABLE(name) \
  int name(int, void*) {        \
    return 0;                   \
  }

ORIEL_EMPTY_TABLE(zeGetDeviceExpProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetImageProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetImageExpProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetFenceProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetEventPoolProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetEventProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetEventExpProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetModuleBuildLogProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetKernelExpProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetSamplerProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetPhysicalMemProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetVirtualMemProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetFabricVertexExpProcAddrTable)
ORIEL_EMPTY_TABLE(zeGetFabricEdgeExpProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetDeviceProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetContextProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetCommandListProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetModuleProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetKernelProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetMetricGroupProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetMetricGroupExpProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetMetricProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetMetricStreamerProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetMetricQueryPoolProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetMetricQueryProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetTracerExpProcAddrTable)
ORIEL_EMPTY_TABLE(zetGetDebugProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetDriverProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetDeviceProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetSchedulerProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetPerformanceFactorProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetPowerProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetFrequencyProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetEngineProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetStandbyProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetFirmwareProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetMemoryProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetFabricPortProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetTemperatureProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetPsuProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetFanProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetLedProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetRasProcAddrTable)
ORIEL_EMPTY_TABLE(zesGetDiagnosticsProcAddrTable)

#undef ORIEL_EMPTY_TABLE

}  // extern "C"
