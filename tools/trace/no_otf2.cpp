#include <stdexcept>

#include "tools/trace/otf2.hpp"

namespace oriel::tools {

void write_otf2(const job_trace&, const std::filesystem::path&) {
  throw std::runtime_error(
      "this oriel-trace was built without libotf2 (Debian: libotf2-trace-dev)");
}

}  // namespace oriel::tools
