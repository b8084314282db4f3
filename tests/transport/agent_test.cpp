// The agent of mail, and the program's threads that serve in its place.
#include "transport/agent.hpp"

#include <atomic>
#include <thread>

#include "tests/support/job.hpp"
#include "tests/support/soon.hpp"

namespace oriel::transport {
namespace {

using testing::soon;

detail::session_state& session_here() {
  return *testing::job().state();
}
sync::request_bell& bell() {
  sessions::job& job = session_here().job();
  return job.bell(job.rank());
}
// As an origin that finds no answer.
void ring() {
  if (bell().ring()) bell().wake_agent();
}

TEST(Agent, ServesAfterEachRing) {
  agent a(session_here());
  std::atomic<int> served{0};
  a.add(&served, [&] { ++served; });
  for (int i = 0; i < 20; ++i) {
    const int before = served;
    ring();
    EXPECT_TRUE(soon([&] { return served > before; })) << i;
  }
  a.remove(&served);
  const int after = served;
  ring();
  a.serve_rung();
  EXPECT_EQ(served, after);
}

// The agent needs a wake first, so that a thread that is there serves before it, most times.
TEST(Agent, AThreadThatPassesByServesInItsPlace) {
  agent a(session_here());
  std::atomic<int> by_this{0}, by_agent{0};
  const auto here = std::this_thread::get_id();
  std::atomic<bool> calls_nobody{true};
  a.add(&a, [&] {
    ++(std::this_thread::get_id() == here ? by_this : by_agent);
    if (sync::while_waiting() != nullptr) calls_nobody = false;
  });
  ASSERT_TRUE(soon([&] { return a.running(); }));
  // As in a call of an embedding program's.
  const sync::working_while_waiting as_in_a_call([]() noexcept {});
  EXPECT_TRUE(soon([&] {
    ring();
    return a.serve_rung();
  }));
  EXPECT_GT(by_this, 0);
  EXPECT_TRUE(calls_nobody);
  EXPECT_NE(sync::while_waiting(), nullptr);
  // Once it is served, there is nothing left for either.
  EXPECT_TRUE(soon([&] {
    const int before = by_this + by_agent;
    return !a.serve_rung() && by_this + by_agent == before;
  }));
  a.remove(&a);
}

// Whatever of oriel's it waits in.
TEST(Agent, AThreadThatWaitsServesInItsPlace) {
  agent a(session_here());
  std::atomic<int> by_this{0};
  const auto here = std::this_thread::get_id();
  sync::wait_word served{};
  a.add(&a, [&] {
    if (std::this_thread::get_id() == here) ++by_this;
    served.value.fetch_add(1, std::memory_order_seq_cst);
    sync::wake_all(served);
  });
  const sessions::rank_watch watch(session_here().job(), session_here().job().rank());
  EXPECT_TRUE(soon([&] {
    const std::uint32_t before = served.value;
    ring();
    EXPECT_EQ(sync::wait_for(served, watch, [&](std::uint32_t now) { return now != before; }),
              errc::success);
    return by_this > 0;
  }));
  a.remove(&a);
}

// What is to be served soon was begun after the agent had passed it.
TEST(Agent, ServesSoonThoughItIsAtItAsItIsTold) {
  agent a(session_here());
  std::atomic<bool> holds{true}, is_in{false};
  std::atomic<int> rounds{0};
  a.add(&rounds, [&] {
    is_in = true;
    while (holds) std::this_thread::yield();
    ++rounds;
    return false;
  });
  if (bell().ring()) bell().wake_agent();
  ASSERT_TRUE(soon([&] { return is_in.load(); }));
  a.serve_soon();
  EXPECT_FALSE(a.serve_rung());  // the agent is at it
  holds = false;
  ASSERT_TRUE(soon([&] { return rounds > 0 && bell().rung.sleepers != 0; }));
  const int before = rounds;
  EXPECT_TRUE(a.serve_rung());
  EXPECT_GT(rounds, before);
}

// So that requests cost no wake of an agent that is not needed; and it comes back when it is.
TEST(Agent, SleepsOnWhileAThreadServes) {
  agent a(session_here());
  std::atomic<int> left{0}, served{0};
  a.add(&served, [&] {
    const bool any = left.exchange(0) != 0;
    if (any) ++served;
    return any;
  });
  const auto leave_and_ring = [&] {
    left = 1;
    return bell().ring();
  };
  // On a busy machine the agent may be the one that serves, now and then.
  ASSERT_TRUE(soon([&] {
    leave_and_ring();
    a.serve_rung();
    return bell().attended != 0;
  }));
  int asleep = 0;
  EXPECT_TRUE(soon([&] {
    EXPECT_TRUE(soon([&] { return bell().rung.sleepers != 0; }));
    const int before = served;
    asleep = leave_and_ring() && bell().rung.sleepers != 0 ? asleep + 1 : 0;
    EXPECT_TRUE(soon([&] { return a.serve_rung() || served > before; }));
    return asleep == 20;
  }));
  // A round without work, the agent's or this thread's, says nothing.
  const std::uint32_t attended = bell().attended;
  bell().wake_agent();
  a.serve_rung();
  EXPECT_EQ(bell().attended, attended);
  const int before = served;
  leave_and_ring();
  bell().wake_agent();
  EXPECT_TRUE(soon([&] { return served > before && bell().attended == 0; }));
  EXPECT_FALSE(leave_and_ring());  // and so wakes it
  EXPECT_TRUE(soon([&] { return served > before + 1; }));
  a.remove(&served);
}

TEST(Agent, NobodyWaitsForTheOneThatServes) {
  agent a(session_here());
  std::atomic<bool> serving{false}, may_end{false};
  a.add(&a, [&] {
    serving = true;
    while (!may_end) std::this_thread::yield();
  });
  ring();
  ASSERT_TRUE(soon([&] { return serving.load(); }));
  ring();
  EXPECT_FALSE(a.serve_rung());
  may_end = true;
  a.remove(&a);
}

// What has been served in its place must not keep it from ending.
TEST(Agent, EndsWhoeverHasServed) {
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> stop{false};
    agent a(session_here());
    a.add(&a, [] {});
    std::thread other([&] {
      while (!stop) a.serve_rung();
    });
    ring();
    std::this_thread::yield();
    stop = true;
    other.join();
    a.remove(&a);
  }
}

}  // namespace
}  // namespace oriel::transport
