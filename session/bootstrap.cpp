#include "session/bootstrap.hpp"

#include "session/callback_bootstrap.hpp"
#include "session/pmi_bootstrap.hpp"
#include "session/pmix_bootstrap.hpp"
#include "session/rendezvous.hpp"

namespace oriel::boot {

std::unique_ptr<bootstrap> join_job(const job_description& job, const session_options& options) {
  if (options.bootstrap) return std::make_unique<callback_bootstrap>(*options.bootstrap);
  if (job.placed) return std::make_unique<rendezvous>(job);
  if (variable("PMIX_NAMESPACE") && variable("PMIX_RANK")) return join_pmix(job.timeout);
  if (const auto place = read_pmi_environment()) return join_pmi(*place, job.timeout);
  return std::make_unique<rendezvous>(job);  // of one
}

}  // namespace oriel::boot
