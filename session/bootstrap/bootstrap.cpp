#include "session/bootstrap/bootstrap.hpp"

#include "session/bootstrap/callback_bootstrap.hpp"
#include "session/bootstrap/pmi_bootstrap.hpp"
#include "session/bootstrap/pmix_bootstrap.hpp"
#include "session/bootstrap/rendezvous.hpp"

namespace oriel::sessions {

std::unique_ptr<bootstrap> join_job(const job_description& job, const session_options& options) {
  if (options.bootstrap) return std::make_unique<callback_bootstrap>(*options.bootstrap);
  if (job.placed) return std::make_unique<rendezvous>(job);
  if (variable("PMIX_NAMESPACE") && variable("PMIX_RANK")) return join_pmix(job.timeout);
  if (const auto self = read_pmi_environment()) return join_pmi(*self, job.timeout);
  return std::make_unique<rendezvous>(job);  // of one
}

}  // namespace oriel::sessions
