// Who serves a request, when, and what becomes of one that is not served in time.
#include "sync/mailbox.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>
#include <vector>

namespace oriel::sync {
namespace {

class watch final : public peer_watch {
 public:
  explicit watch(std::chrono::milliseconds patience) : patience_(patience) {}
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return patience_;
  }

 private:
  std::chrono::milliseconds patience_;
};

struct alignas(64) line {
  std::byte bytes[64];
};

// One window's mail, of ranks that all are in this process.
struct node {
  explicit node(int p, std::chrono::milliseconds patience) : ranks(p), waits(patience) {}
  [[nodiscard]] mailbox of(int rank) { return {block.data()->bytes, peers, rank, ranks}; }

  int ranks;
  watch waits;
  std::vector<line> block = std::vector<line>(mailbox::bytes(ranks) / sizeof(line) + 1);
  request_bell bell{};
  expected_request expected;
  mailbox_peers peers{&waits, [](int) { return true; },
                      [this](int) -> request_bell& { return bell; }, &expected};
};

int served_by(mailbox& owner) {
  int n = 0;
  owner.serve_pending([&n](mailbox::slot& s, int from) {
    EXPECT_EQ(from, 0);
    s.head.outcome = errc::success;
    ++n;
  });
  return n;
}

struct two_ranks : node {
  two_ranks() : node(2, std::chrono::milliseconds(30)) {}
  mailbox origin = of(0), owner = of(1);
  int served() { return served_by(owner); }
};

am_request small_put() {
  am_request m;
  m.kind = am_kind::put;
  return m;
}

TEST(Mailbox, ServesWhatItsOwnerIsAskedFor) {
  for (const int ranks : {3, 4, 5, 300}) {
    node t(ranks, std::chrono::seconds(20));
    mailbox origin = t.of(0), owner = t.of(ranks - 1), other = t.of(ranks - 2);
    std::thread asks([&] {
      for (int i = 0; i < 100; ++i)
        ASSERT_EQ(origin.ask(ranks - 1, small_put(), nullptr, 0, nullptr, 0), errc::success);
    });
    int served = 0;
    while (served < 100) {
      EXPECT_EQ(served_by(other), 0);
      served += served_by(owner);
    }
    asks.join();
    EXPECT_EQ(served_by(owner), 0);
  }
}

// What comes where the last one came is seen without its ring.
TEST(Mailbox, ARequestIsExpectedWhereTheLastOneCame) {
  two_ranks t;
  const auto ask = [&t] { return t.origin.ask(1, small_put(), nullptr, 0, nullptr, 0); };
  EXPECT_EQ(ask(), errc::timed_out);
  EXPECT_FALSE(t.expected.is_here()) << "the first is not expected";
  EXPECT_EQ(t.served(), 1);
  EXPECT_FALSE(t.expected.is_here());
  EXPECT_EQ(ask(), errc::timed_out);
  EXPECT_TRUE(t.expected.is_here());
  { const mailbox ends = t.of(1); }
  EXPECT_FALSE(t.expected.is_here()) << "its memory may be another's";
}

// Which slept on while a thread of the owner's program served.
TEST(Mailbox, WakesTheAgentOfAnOwnerThatAttendsNoLonger) {
  node t(2, std::chrono::seconds(20));
  mailbox origin = t.of(0), owner = t.of(1);
  t.bell.be_attended(true);
  t.bell.rung.sleepers = 1;
  std::thread agent([&] {
    futex_wait(t.bell.rung.value, 0, std::chrono::seconds(10));
    while (served_by(owner) == 0) std::this_thread::yield();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(origin.ask(1, small_put(), nullptr, 0, nullptr, 0), errc::success);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  agent.join();
}

// The origin may have its memory for something else by then.
TEST(Mailbox, AFarRequestThatWasGivenUpIsNotServed) {
  two_ranks t;
  am_request m;
  m.kind = am_kind::accumulate;
  m.is_far = true;
  const named_operands here{1, 2};
  EXPECT_EQ(t.origin.ask(1, m, &here, sizeof here, nullptr, 0), errc::timed_out);
  EXPECT_EQ(t.served(), 0);
  m.is_far = false;
  EXPECT_EQ(t.origin.ask(1, m, &here, sizeof here, nullptr, 0), errc::timed_out);
  EXPECT_EQ(t.served(), 1) << "its operands are in the slot";
}

TEST(Mailbox, AFarRequestThatIsBeingServedIsWaitedFor) {
  two_ranks t;
  am_request m;
  m.kind = am_kind::accumulate;
  m.is_far = true;
  const named_operands here{1, 2};
  std::thread owner([&] {
    int n = 0;
    while (n == 0)
      t.owner.serve_pending([&n](mailbox::slot& s, int) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        s.head.outcome = errc::success;
        ++n;
      });
  });
  EXPECT_EQ(t.origin.ask(1, m, &here, sizeof here, nullptr, 0), errc::success);
  owner.join();
}

}  // namespace
}  // namespace oriel::sync
