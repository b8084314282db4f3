// What a new way to reach the memory of a rank takes: one file, this one, which reads and writes
// /proc/PID/mem, and one line that makes it known.
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/job.hpp"
#include "win/route/owner_mail.hpp"
#include "win/route/route_table.hpp"
#include "win/slots/target.hpp"

namespace oriel::testing {
namespace {

using win::offer;
using win::peer_facts;
using win::tracker;
using win::window_core;

int transfers = 0;

// Within the node, for private memory, and sooner than process_vm_readv.
offer probe(assertion_set promised, const peer_facts& peer) noexcept {
  const bool leads_there = win::shares_node(promised, peer) && !peer.same_process &&
                           peer.where == win::place::private_memory;
  return leads_there ? offer{60, "its memory is private"} : offer{};
}

template <class Transfer>
errc with_memory_of(window_core& core, const win::target& at, Transfer transfer) noexcept {
  const pid_t owner = core.group->session().job().pid_of(core.group->world_rank(at.owner.value));
  const int file = open(("/proc/" + std::to_string(owner) + "/mem").c_str(), O_RDWR);
  const bool done = file >= 0 && transfer(file);
  if (file >= 0) close(file);
  ++transfers;
  return done ? errc::success : win::fail_with(core, errc::system, at.owner, "a transfer");
}

errc put(window_core& core, const win::target& at, std::ptrdiff_t offset, const void* from,
         std::size_t bytes, tracker*) noexcept {
  return with_memory_of(core, at, [&](int file) {
    return pwrite(file, from, bytes, static_cast<off_t>(at.address) + offset) ==
           static_cast<ssize_t>(bytes);
  });
}

errc get(window_core& core, const win::target& at, std::ptrdiff_t offset, void* to,
         std::size_t bytes, tracker*) noexcept {
  return with_memory_of(core, at, [&](int file) {
    return pread(file, to, bytes, static_cast<off_t>(at.address) + offset) ==
           static_cast<ssize_t>(bytes);
  });
}

constexpr win::route proc_mem = [] {
  win::route r = win::mail_route;  // which does the atomics
  r.name = "proc_mem";
  r.probe = probe;
  r.put = put;
  r.get = get;
  return r;
}();

void make_known() {
  auto& known = world().state()->session().extension<win::known_routes>().all;
  if (known.back() != &proc_mem) known.push_back(&proc_mem);
}

constexpr auto promise = assertion::shared_lock | assertion::multi_element |
                         assertion::user_datatype | assertion::notify;
constexpr std::size_t count = 100;

TEST(NewRoute, ServesEveryOperation) {
  make_known();
  std::vector<long> mine(count, me());
  auto w = window<long, promise>::create(world(), mine);
  const bool others = ranks() > 1;
  EXPECT_EQ(w.explain().find("proc_mem to rank") != std::string::npos, others) << w.explain();
  EXPECT_EQ(w.explain().find("cma to rank"), std::string::npos) << w.explain();
  const int before = transfers;
  {
    const auto epoch = w.lock_all();
    const std::vector<long> row(10, 100 + me());
    EXPECT_TRUE(w.put(world().next(), disp{5}, row).ok()) << w.failure();
    EXPECT_TRUE(w.put(world().next(), disp{20}, 7L).ok()) << w.failure();
    EXPECT_TRUE(w.accumulate(atomic_op::sum, world().next(), disp{30}, 5L).ok()) << w.failure();
    EXPECT_EQ(w.fetch_add(world().next(), disp{30}, 5L), world().next().value + 5);
    std::vector<long> back(10);
    EXPECT_TRUE(w.get(world().next(), disp{5}, std::span(back)).ok()) << w.failure();
    EXPECT_EQ(back, row);
    EXPECT_TRUE(w.put_notify(world().next(), disp{50}, 9L, 0).ok()) << w.failure();
    EXPECT_TRUE(w.wait_notify(0, 1).ok()) << w.failure();
    EXPECT_EQ(mine[50], 9);
  }
  world().barrier().or_throw();
  EXPECT_EQ(mine[20], 7);
  EXPECT_EQ(transfers - before, others ? 4 : 0);
  w.free().or_throw();
}

TEST(NewRoute, ServesWhatIsAttached) {
  make_known();
  std::vector<long> mine(count, me());
  auto w = window<long>::create(world(), promise | assertion::attach);
  const auto attached = w.attach(mine);
  const auto firsts = world().allgather(attached.first.value);
  const int before = transfers;
  {
    const auto epoch = w.lock_all();
    const disp first{firsts[static_cast<std::size_t>(world().next().value)]};
    EXPECT_TRUE(w.put(world().next(), disp{first.value + 3}, 4L).ok()) << w.failure();
  }
  world().barrier().or_throw();
  EXPECT_EQ(mine[3], 4);
  EXPECT_EQ(transfers - before, ranks() > 1 ? 1 : 0);
  w.free().or_throw();
}

}  // namespace
}  // namespace oriel::testing
