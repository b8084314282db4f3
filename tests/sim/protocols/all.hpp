// The protocols that are simulated.
#pragma once

#include <memory>
#include <vector>

#include "tests/sim/protocol.hpp"

namespace oriel::sim {

std::unique_ptr<protocol> simulated_barrier();
std::unique_ptr<protocol> simulated_group_lock();
std::unique_ptr<protocol> simulated_last_out();
std::unique_ptr<protocol> simulated_mailbox();
std::unique_ptr<protocol> simulated_notify();
std::unique_ptr<protocol> simulated_packet_board();
std::unique_ptr<protocol> simulated_pscw();
std::unique_ptr<protocol> simulated_published_result();
std::unique_ptr<protocol> simulated_shrink();
std::unique_ptr<protocol> simulated_session();  // in a build with a fabric

// All of these.
std::vector<std::unique_ptr<protocol>> simulated_protocols();

}  // namespace oriel::sim
