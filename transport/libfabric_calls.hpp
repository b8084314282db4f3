// The calls of libfabric that are not those of its objects: whoever asks for a provider begins with
// them. libfabric is loaded by the first, when a job first connects nodes. To load Debian 12's
// takes 0.2 s, since a library that it is linked with times the processor's clock; a job on one
// node has no use for it.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

namespace oriel::transport {

struct libfabric_calls {
  decltype(&::fi_getinfo) getinfo;
  decltype(&::fi_freeinfo) freeinfo;
  decltype(&::fi_dupinfo) dupinfo;
  decltype(&::fi_fabric) fabric;
  decltype(&::fi_version) version;
  decltype(&::fi_strerror) strerror;
};

// Throws system when the library or one of its calls is not to be found; not after it has returned
// once.
const libfabric_calls& libfabric_library();

}  // namespace oriel::transport
