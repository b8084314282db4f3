// What libfabric's codes mean to us.
#pragma once

#include <rdma/fi_errno.h>

#include "oriel/errc.hpp"

namespace oriel::transport {

// Of a positive code.
inline errc code_of(int failure) noexcept {
  switch (failure) {
    case 0:
      return errc::success;
    case FI_EACCES:
    case FI_EKEYREJECTED:
    case FI_EFAULT:
      return errc::rma_range;
    case FI_ENOMEM:
      return errc::no_mem;
    case FI_EINVAL:
    case FI_EOPNOTSUPP:
    case FI_ENOSYS:
      return errc::system;
    default:  // with all others a connection ends
      return errc::peer_failed;
  }
}

}  // namespace oriel::transport
