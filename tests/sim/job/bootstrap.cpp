// In the place of session/bootstrap/bootstrap.cpp and the launchers' protocols: a simulated rank
// brings its own allgather.
#include "session/bootstrap/bootstrap.hpp"

#include "session/bootstrap/callback_bootstrap.hpp"

namespace oriel::sessions {

std::unique_ptr<bootstrap> join_job(const job_description&, const session_options& options) {
  return std::make_unique<callback_bootstrap>(options.bootstrap.value());
}

}  // namespace oriel::sessions
