// In the place of libfabric_loaded.cpp where libfabric is not a shared library: it is linked with.
#include "transport/libfabric_calls.hpp"

namespace oriel::transport {

const libfabric_calls& libfabric_library() {
  static constexpr libfabric_calls calls{fi_getinfo, fi_freeinfo, fi_dupinfo,
                                         fi_fabric,  fi_version,  fi_strerror};
  return calls;
}

}  // namespace oriel::transport
