#include "tests/sim/protocols/all.hpp"

namespace oriel::sim {

std::vector<std::unique_ptr<protocol>> simulated_protocols() {
  std::vector<std::unique_ptr<protocol>> all;
#ifdef ORIEL_SIM_PROTOCOL
  all.push_back(ORIEL_SIM_PROTOCOL());  // mutants.sh: the only one that is linked
#else
  all.push_back(simulated_barrier());
  all.push_back(simulated_group_lock());
  all.push_back(simulated_last_out());
  all.push_back(simulated_mailbox());
  all.push_back(simulated_notify());
  all.push_back(simulated_packet_board());
  all.push_back(simulated_pscw());
  all.push_back(simulated_published_result());
  all.push_back(simulated_shrink());
#ifdef ORIEL_SIM_SESSIONS
  all.push_back(simulated_session());
#endif
#endif
  return all;
}

}  // namespace oriel::sim
