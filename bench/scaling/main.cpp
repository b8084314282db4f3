// How construction, fence, lock_all and memory grow with the number of ranks and nodes. One line a
// run; docs/SCALING.md has the model that the lines are compared with.
//
//   oriel-run -n 64 --nodes 8 oriel-bench-scaling
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include "oriel/oriel.hpp"
#include "session/session_state.hpp"
#include "transport/fabric.hpp"

namespace {

using namespace oriel;

// Kilobytes of this process's own memory.
double own_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kb = 0; word == "RssAnon:" && status >> kb) return kb;
  return 0;
}

struct cost {
  double microseconds = 0;
  double messages = 0;  // of the rank that sends most
};

class harness {
 public:
  explicit harness(session& job) : world_(job.world()) {
    sessions::job& all = job.state()->job();
    nodes_ = all.nodes();
    if (nodes_ > 1) way_ = &transport::fabric_of(all);
  }
  // Of one of `times` calls, on the slowest rank.
  template <class Work>
  cost of(int times, Work work) {
    world_.barrier().or_throw();
    const std::uint64_t sent = way_ == nullptr ? 0 : way_->messages();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    const std::uint64_t now = way_ == nullptr ? 0 : way_->messages();
    return {world_.allreduce(took.count() / times, atomic_op::max),
            world_.allreduce(static_cast<double>(now - sent) / times, atomic_op::max)};
  }
  [[nodiscard]] int nodes() const noexcept { return nodes_; }

 private:
  team world_;
  transport::fabric* way_ = nullptr;
  int nodes_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  constexpr assertion_set locks = assertion::shared_lock | assertion::exclusive_lock;
  constexpr assertion_set fences{assertion::fence};
  constexpr int times = 20;
  session job{argc, argv};
  const team world = job.world();
  const double opened = own_kilobytes();
  harness h(job);
  const cost construct = h.of(times, [&] { window<long, fences>::allocate(world, 64); });
  auto f = window<long, fences>::allocate(world, 64);
  const cost fence = h.of(times, [&] { f.fence().or_throw(); });
  auto l = window<long, locks>::allocate(world, 64);
  const cost lock_all = h.of(times, [&] { l.lock_all().end().or_throw(); });
  const double kilobytes = world.allreduce(opened, atomic_op::max);
  const auto metadata = f.any().metadata_bytes();
  if (world.me() == rank{0})
    fmt::print(
        "{:>5} ranks {:>4} nodes | construct+free {:>9.1f} us {:>5.1f} messages | fence "
        "{:>9.1f} us {:>4.1f} | lock_all+unlock_all {:>9.1f} us {:>6.1f} | window {:>6} B "
        "a node | session {:>6.0f} KiB a rank\n",
        world.size(), h.nodes(), construct.microseconds, construct.messages, fence.microseconds,
        fence.messages, lock_all.microseconds, lock_all.messages, metadata, kilobytes);
  return 0;
}
