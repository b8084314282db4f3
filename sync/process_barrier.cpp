#include "sync/process_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace oriel::sync {

bool join_process_barriers() noexcept {
  static const bool joined =
      ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
  return joined;
}

errc process_barrier() noexcept {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0 ? errc::success
                                                                               : errc::system;
}

}  // namespace oriel::sync
