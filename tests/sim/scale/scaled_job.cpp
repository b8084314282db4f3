#include "tests/sim/scale/scaled_job.hpp"

#include <malloc.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "oriel/oriel.hpp"
#include "tests/sim/job/machine.hpp"
#include "tests/sim/job/shared_files.hpp"
#include "tests/sim/job/society.hpp"

namespace oriel::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "scale: %s\n", why.c_str());
  std::exit(1);
}

// Longer takes time of the simulation's, in which agents look around; and changes nothing.
constexpr milliseconds all_know_by{20};

class scaled_job {
 public:
  scaled_job(const job_shape& shape, const machine_model& model)
      : shape_(shape),
        run_(std::chrono::minutes(10), nanoseconds(1000)),
        wires_(run_, model, here_.nodes = nodes_of(shape)),
        files_(run_),
        together_(run_, shape.ranks(), 1, all_know_by),
        meter_(run_, wires_, shape.ranks(), shape.stride()) {
    here_.processors = 1 << 30;  // all nodes seem to be one kernel's
    here_.memory = std::size_t{1} << 30;
    files_.let_all_live(shape.leaders_only);
    for (int r = 0; r < shape.ranks(); r += shape.stride())
      run_.start(r, "rank " + std::to_string(r), [this, r] { live(r); });
  }

  job_costs run() {
    const double before = heap();
    heap_before_ = before;
    const verdict v = run_.run();
    if (v.how != ending::ended) give_up(v.why);
    costs_.rows = meter_.rows();
    return costs_;
  }

 private:
  static std::vector<int> nodes_of(const job_shape& shape) {
    std::vector<int> nodes;
    for (int r = 0; r < shape.ranks(); ++r) nodes.push_back(r / shape.ranks_a_node);
    return nodes;
  }
  static double heap() {
    const struct mallinfo2 now = mallinfo2();
    return static_cast<double>(now.uordblks + now.hblkhd);
  }

  void live(int me) {
    try {
      session job;
      meter_.all_meet([this] {
        costs_.heap_bytes = (heap() - heap_before_) / shape_.running();
        costs_.gathers = meter_.gathers();
        costs_.gathered_bytes = meter_.gathered_bytes();
      });
      all_live(job.world(), me);
      a_node_dies(job.world(), me);
      // What processes that end do is not measured, and has no end where thousands do it.
      meter_.all_meet([this] { run_.end(); });
    } catch (const error& e) {
      give_up("rank " + std::to_string(me) + ": " + e.what());
    }
  }

  void all_live(const team& world, int me) {
    const int n = shape_.times;
    constexpr std::size_t words = 64;
    constexpr assertion_set fences{assertion::fence};
    constexpr assertion_set locks = assertion::shared_lock | assertion::exclusive_lock;
    constexpr assertion_set exposures{assertion::pscw};
    without_stand_ins([&] {
      meter_.measure("construct + free", n, [&] { window<long, fences>::allocate(world, words); });
    });
    meter_.measure("team barrier", n, [&] { world.barrier().or_throw(); });
    meter_.measure("allreduce", n, [&] { static_cast<void>(world.allreduce(me, atomic_op::sum)); });
    {
      auto w = window<long, fences>::allocate(world, words);
      meter_.measure("fence", n, [&] { w.fence().or_throw(); });
      without_stand_ins([&] { w.free().or_throw(); });
    }
    {
      auto w = window<long, locks>::allocate(world, words);
      meter_.measure("lock_all + unlock_all", n, [&] { w.lock_all().end().or_throw(); });
      const rank next{(me + shape_.ranks_a_node) % shape_.ranks()};
      meter_.measure("lock_shared + unlock", n, [&] { w.lock_shared(next).end().or_throw(); });
      meter_.measure("lock_exclusive + unlock", n,
                     [&] { w.lock_exclusive(next).end().or_throw(); });
      without_stand_ins([&] { w.free().or_throw(); });
    }
    {
      auto w = window<long, exposures>::allocate(world, words);
      const std::vector<rank> neighbours = neighbours_of(me);
      meter_.measure("pscw halo", n, [&] {
        w.post(neighbours).or_throw();
        w.start(neighbours).end().or_throw();
        w.wait().or_throw();
      });
      without_stand_ins([&] { w.free().or_throw(); });
    }
  }
  // Who is stood for does not free windows. So they count as gone while leaders do, which then
  // depart for them, and the node has the memory again.
  void without_stand_ins(const std::function<void()>& work) {
    if (!shape_.leaders_only) return work();
    meter_.all_meet([this] { files_.let_all_live(false); });
    work();
    meter_.all_meet([this] { files_.let_all_live(true); });
  }
  // Of other nodes, both in a ring of nodes.
  [[nodiscard]] std::vector<rank> neighbours_of(int me) const {
    const int c = shape_.ranks_a_node, p = shape_.ranks();
    const rank right{(me + c) % p}, left{(me + p - c) % p};
    return left == right ? std::vector{right} : std::vector{left, right};
  }

  void a_node_dies(const team& world, int me) {
    const int c = shape_.ranks_a_node, first = shape_.nodes / 2 * c;
    meter_.all_meet([] {});
    if (me == first) {
      // Who is stood for has no thread that could go on, but counts as dead from then on, too.
      for (int r = first; r < first + c; r += shape_.stride()) meter_.lost(r);
      for (int r = first + c - 1; r >= first; --r) run_.kill(r);
    }
    // All find out meanwhile, each at its own time.
    run_.sleep("goes on for a while", nullptr, all_know_by + milliseconds(10));
    team survivors;
    meter_.measure("shrink after a death", 1, [&] { survivors = world.shrink(); });
    if (survivors.size() != shape_.ranks() - c)
      give_up("survivors are " + std::to_string(survivors.size()));
    meter_.measure("barrier of survivors", shape_.times, [&] { survivors.barrier().or_throw(); });
  }

  job_shape shape_;
  machine here_;
  event_scheduler run_;
  routed_network wires_;
  shared_files files_;
  society together_;
  meter meter_;
  job_costs costs_;
  double heap_before_ = 0;
};

}  // namespace

job_costs costs_of(const job_shape& shape, const machine_model& model) {
  // Its threads have not ended, so that what they hold must stay.
  return (new scaled_job(shape, model))->run();
}

}  // namespace oriel::sim
