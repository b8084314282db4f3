// In the place of libfabric's files in a build with ORIEL_WITH_FABRIC=OFF.
#include "oriel/errc.hpp"
#include "session/team/messenger.hpp"

namespace oriel {

std::unique_ptr<sessions::messenger> sessions::open_messenger(bootstrap&, job&, node_memory&,
                                                              const job_description&,
                                                              const std::vector<std::string>&,
                                                              const memory_kind_list&) {
  throw error(
      errc::system,
      "the ranks are on several nodes, and this oriel was built without a fabric to connect "
      "them (ORIEL_WITH_FABRIC=OFF); run them on one node, or build oriel with libfabric");
}

}  // namespace oriel
