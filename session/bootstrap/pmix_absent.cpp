// In the place of pmix_bootstrap.cpp where CMake found no pmix.h.
#include "oriel/errc.hpp"
#include "session/bootstrap/pmix_bootstrap.hpp"

namespace oriel::sessions {

std::unique_ptr<bootstrap> join_pmix(std::chrono::milliseconds) {
  throw error(errc::system,
              "a PMIx launcher started this process (PMIX_NAMESPACE is set), but this oriel was "
              "built without PMIx, because CMake found no pmix.h (Debian: libpmix-dev); use "
              "another launcher of docs/LAUNCHING.md or build oriel anew");
}

}  // namespace oriel::sessions
