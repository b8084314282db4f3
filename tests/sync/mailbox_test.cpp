// Who serves a request, when, and what becomes of one that is not served in time.
#include "sync/mailbox.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "tests/sync/node_of_threads.hpp"

namespace oriel::sync {
namespace {

// One window's mail, of ranks that all are in this process.
struct node : testing::node_of_threads {
  explicit node(int p, std::chrono::milliseconds patience)
      : node_of_threads(p, patience, mailbox::bytes(p)) {}
  [[nodiscard]] mailbox of(int rank) { return {block.data()->bytes, peers, rank, ranks}; }
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
  std::thread first([&] { EXPECT_EQ(ask(), errc::success); });
  while (t.served() == 0) EXPECT_FALSE(t.expected.is_here()) << "the first is not expected";
  first.join();
  EXPECT_FALSE(t.expected.is_here());
  std::thread second([&] { EXPECT_EQ(ask(), errc::success); });
  while (!t.expected.is_here()) std::this_thread::yield();
  EXPECT_EQ(t.served(), 1);
  second.join();
  EXPECT_FALSE(t.expected.is_here());
  std::thread third([&] { EXPECT_EQ(ask(), errc::timed_out); });
  while (!t.expected.is_here()) std::this_thread::yield();
  { const mailbox ends = t.of(1); }
  EXPECT_FALSE(t.expected.is_here()) << "its memory may be another's";
  third.join();
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

// The origin may have its memory for something else by then, and asks others.
TEST(Mailbox, ARequestThatWasGivenUpIsNotServed) {
  for (const int ranks : {3, 5, 300}) {
    node t(ranks, std::chrono::milliseconds(30));
    mailbox origin = t.of(0), still = t.of(1), lives = t.of(2);
    const named_operands operands{1, 2};
    const auto ask = [&](int owner, bool far) {
      am_request m = small_put();
      m.is_far = far;
      return origin.ask(owner, m, &operands, sizeof operands, nullptr, 0);
    };
    for (const bool far : {true, false}) {
      EXPECT_EQ(ask(1, far), errc::timed_out);
      EXPECT_EQ(served_by(still), 0);
      errc of_others = errc::timed_out;
      std::thread asks([&] { of_others = ask(2, far); });
      while (served_by(lives) == 0) EXPECT_EQ(served_by(still), 0);
      asks.join();
      EXPECT_EQ(of_others, errc::success);
    }
  }
}

// A request that its owner does not take makes room for those of other threads to others.
TEST(Mailbox, ThreadsDoNotWaitForEachOthersOwners) {
  for (const int ranks : {3, 5}) {
    node t(ranks, std::chrono::seconds(60));
    mailbox origin = t.of(0), still = t.of(1), lives = t.of(2);
    const auto ask = [&](int owner) {
      return origin.ask(owner, small_put(), nullptr, 0, nullptr, 0);
    };
    constexpr int asked = 200;
    std::atomic<int> waiting = 2;
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&] {
        EXPECT_EQ(ask(1), errc::success);
        --waiting;
      });
    threads.emplace_back([&] {
      for (int served = 0; served < asked;) served += served_by(lives);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < asked; ++i) EXPECT_EQ(ask(2), errc::success);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(40));
    EXPECT_EQ(waiting, 2);
    for (int served = 0; served < 2;) served += served_by(still);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(served_by(still), 0);
  }
}

// However often they make room for each other.
TEST(Mailbox, ThreadsGiveUpInTime) {
  node t(3, std::chrono::milliseconds(300));
  mailbox origin = t.of(0);
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back(
        [&] { EXPECT_EQ(origin.ask(1, small_put(), nullptr, 0, nullptr, 0), errc::timed_out); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(300));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

// What has been taken may still be carried out, and its reply written to the slot.
TEST(Mailbox, OneThatWasTakenAndNotAnsweredIsWaitedForByTheNext) {
  two_ranks t;
  std::atomic<bool> goes_on = false;
  std::thread owner([&] {
    for (int n = 0; n < 2;)
      t.owner.serve_pending([&](mailbox::slot& s, int) {
        while (!goes_on) std::this_thread::yield();
        s.head.outcome = errc::success;
        ++n;
      });
  });
  const auto ask = [&t] { return t.origin.ask(1, small_put(), nullptr, 0, nullptr, 0); };
  EXPECT_EQ(ask(), errc::timed_out);
  EXPECT_EQ(ask(), errc::timed_out);
  goes_on = true;
  EXPECT_EQ(ask(), errc::success);
  owner.join();
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

TEST(Mailbox, AnOwnerThatIsKnownToHaveDiedIsNotWaitedForAgain) {
  for (const int ranks : {3, 5}) {
    node t(ranks, std::chrono::seconds(20));
    mailbox origin = t.of(0), lives = t.of(2);
    const auto ask = [&](int owner) {
      return origin.ask(owner, small_put(), nullptr, 0, nullptr, 0);
    };
    t.dead = 1;
    EXPECT_EQ(ask(1), errc::peer_failed);
    const int found = t.found_dead, waits = t.waits.begun();
    const std::uint32_t rung = t.bell.rung.value;
    EXPECT_EQ(ask(1), errc::peer_failed);
    EXPECT_EQ(origin.wait_read(1, 1), errc::peer_failed);
    EXPECT_EQ(t.found_dead, found);
    EXPECT_EQ(t.waits.begun(), waits);
    EXPECT_EQ(t.bell.rung.value, rung) << "nobody hears it";
    std::thread asks([&] { EXPECT_EQ(ask(2), errc::success); });
    while (served_by(lives) == 0) std::this_thread::yield();
    asks.join();
  }
}

// It may have been found dead by another wait before this one has its first look.
TEST(Mailbox, WhatAnOwnerHasReadBeforeItDiedIsRead) {
  two_ranks t;
  t.owner.tell_read(1);
  t.dead = 1;
  EXPECT_EQ(t.origin.ask(1, small_put(), nullptr, 0, nullptr, 0), errc::peer_failed);
  EXPECT_EQ(t.origin.wait_read(1, 1), errc::success);
}

// Its slot is free: nobody writes the answer any more.
TEST(Mailbox, OneThatWasTakenByWhoIsKnownToHaveDiedHoldsUpNoOther) {
  node t(3, std::chrono::milliseconds(30));
  mailbox origin = t.of(0), dies = t.of(1), lives = t.of(2);
  std::atomic<bool> is_taken = false, goes_on = false;
  std::thread owner([&] {
    while (!is_taken)
      dies.serve_pending([&](mailbox::slot&, int) {
        is_taken = true;
        while (!goes_on) std::this_thread::yield();
      });
  });
  const auto ask = [&](int to) { return origin.ask(to, small_put(), nullptr, 0, nullptr, 0); };
  while (!is_taken) EXPECT_EQ(ask(1), errc::timed_out);
  t.dead = 1;
  EXPECT_EQ(origin.wait_read(1, 1), errc::peer_failed);
  const int found = t.found_dead;
  EXPECT_EQ(ask(2), errc::timed_out);
  EXPECT_EQ(t.found_dead, found);
  goes_on = true;
  owner.join();
}

}  // namespace
}  // namespace oriel::sync
