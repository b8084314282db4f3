// Where ranks listen as the environment has it: ORIEL_ROOT, ORIEL_PARENT, ORIEL_ROOT_FD.
#pragma once

#include <string>

#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/socket_address.hpp"
#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {

struct named_place {
  int rank = 0;       // which listens there
  std::string words;  // "ORIEL_ROOT=host:4711"
  socket_address where;
};

// Requires: a job of several ranks; of its parents, where they are known, on any rank but 0. Throws
// arg where no such host is known.
named_place root_of(const job_description&);
named_place parent_of(const job_description&);

// A socket that listens and does not block, for the ranks that join this one. Throws arg, system.
socket_fd listen_as_told(const job_description&);

}  // namespace oriel::sessions
