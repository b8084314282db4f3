#include "session/bootstrap.hpp"

#include "session/rendezvous.hpp"

namespace oriel::boot {

std::unique_ptr<bootstrap> join_job(const job_description& job, const session_options&) {
  return std::make_unique<rendezvous>(job);
}

}  // namespace oriel::boot
