#include "tests/sim/scale/allowed.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "session/team/block_list.hpp"
#include "session/team/collective_call.hpp"
#include "transport/message.hpp"

namespace oriel::sim {
namespace {

// ⌈log₂ n⌉.
int steps_among(int nodes) noexcept {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(nodes - 1)));
}

// What a leader sends to gather an int of each rank: in each step the blocks of the nodes that it
// has, cut into messages of the longest length that keeps its order.
double gathering_messages(const job_shape& job) noexcept {
  const std::size_t n = static_cast<std::size_t>(job.nodes);
  const std::size_t block =
      static_cast<std::size_t>(job.ranks_a_node) * sizeof(int) + sessions::block_overhead;
  std::size_t messages = 0;
  for (std::size_t distance = 1; distance < n; distance *= 2) {
    const std::size_t bytes =
        sizeof(sessions::collective_call) + std::min(distance, n - distance) * block;
    messages += (bytes + transport::longest_payload - 1) / transport::longest_payload;
  }
  return static_cast<double>(messages);
}

// Of leaders alone: where a node has several ranks, half of all or more send nothing.
allowed_messages of_leaders(const job_shape& job, double each) noexcept {
  return {each, job.running() == job.nodes ? each : 0, each * job.nodes};
}

// So many a rank, as many as one rank that all ask sends each.
allowed_messages through_one(const job_shape& job, double each, double asked) noexcept {
  const double p = job.running();
  return {asked * p + each, each, (each + asked) * p};
}

}  // namespace

std::optional<allowed_messages> allowed(const std::string& what, const job_shape& job,
                                        const provider_traits& provider) {
  const double p = job.running();
  // Requests and what they come to, then free; and keys, where the provider chooses them.
  const int steps = steps_among(job.nodes);
  if (what == "construct + free") return of_leaders(job, (provider.chooses_keys ? 4 : 3) * steps);
  if (what == "allreduce") return of_leaders(job, gathering_messages(job));
  if (what == "team barrier" || what == "fence" || what == "barrier of survivors")
    return of_leaders(job, steps);
  if (what == "lock_all + unlock_all") return through_one(job, 2, 1);
  if (what == "lock_shared + unlock") return allowed_messages{3, 3, 3 * p};
  // The same, and an entry in the lock of the whole window.
  if (what == "lock_exclusive + unlock") return through_one(job, 5, 1);
  if (what == "pscw halo") return allowed_messages{4, 4, 4 * p};
  // Of the nodes but for one, which has died, each reports to the first, which tells it the answer:
  // a head of 48 bytes, what it is, a verdict, a size, and who has died.
  if (what == "shrink after a death") {
    const double others = job.nodes - 2, answer = 48 + 1 + 1 + 4 + 4 * job.ranks_a_node;
    return allowed_messages{others, job.running() == job.nodes && others > 0 ? 1.0 : 0, 2 * others,
                            answer * others};
  }
  return std::nullopt;
}

std::vector<std::string> excesses(const std::vector<meter::row>& rows, const job_shape& job,
                                  const provider_traits& provider) {
  std::vector<std::string> found;
  const auto compare = [&](const std::string& whose, double sent, double most) {
    if (sent > most)
      found.push_back(whose + " " + std::to_string(sent) + " messages; the model has " +
                      std::to_string(most));
  };
  for (const meter::row& r : rows) {
    const auto model = allowed(r.what, job, provider);
    if (!model) {
      found.push_back(r.what + " is not in the model");
      continue;
    }
    compare(r.what + ": one rank sends", r.most_messages, model->most);
    compare(r.what + ": half of the ranks send", r.median_messages, model->median);
    compare(r.what + ": all ranks send", r.all_messages, model->all);
    if (model->bytes != 0 && r.most_bytes > model->bytes)
      found.push_back(r.what + ": one rank sends " + std::to_string(r.most_bytes) +
                      " bytes; the model has " + std::to_string(model->bytes));
  }
  return found;
}

}  // namespace oriel::sim
