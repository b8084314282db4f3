// Which packets an owner performs, in which order, and what becomes of those that it does not.
#include "sync/packet_board.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "tests/sync/node_of_threads.hpp"

namespace oriel::sync {
namespace {

using namespace std::chrono_literals;

struct node : testing::node_of_threads {
  explicit node(int p, std::chrono::milliseconds patience = 20s)
      : node_of_threads(p, patience, packet_board::bytes(p)) {}
  [[nodiscard]] packet_board of(int rank) { return {block.data()->bytes, peers, rank, ranks}; }
};

packet_note numbered(std::uint64_t i) {
  return {.place = 64 * i, .head = i, .bytes = 8};
}

// The heads of what arrives, in order.
std::vector<std::uint64_t> performed_by(packet_board& owner, errc outcome = errc::success) {
  std::vector<std::uint64_t> heads;
  owner.serve_pending([&](const packet_note& n) {
    EXPECT_EQ(n.place, 64 * n.head);
    EXPECT_EQ(n.bytes, 8u);
    heads.push_back(n.head);
    return outcome;
  });
  return heads;
}

using outcomes = std::vector<std::pair<std::size_t, errc>>;
errc settle(packet_board::outbox& from, outcomes& ended, bool patient = true) {
  return from.settle(patient, [&](std::size_t which, errc e) { ended.emplace_back(which, e); });
}

TEST(PacketBoard, APacketIsFilledWhileAnotherIsPerformed) {
  for (const int ranks : {2, 4, 5, 70}) {
    node t(ranks);
    packet_board origin = t.of(0), owner = t.of(ranks - 1), other = t.of(ranks - 2);
    packet_board::outbox box(origin, ranks - 1);
    box.post(numbered(1));
    EXPECT_FALSE(box.full());
    box.post(numbered(2));
    EXPECT_TRUE(box.full());
    EXPECT_FALSE(box.is_oldest_performed());
    if (ranks > 2) {
      EXPECT_TRUE(performed_by(other).empty());
    }
    EXPECT_EQ(performed_by(owner), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_TRUE(box.is_oldest_performed());
    outcomes ended;
    EXPECT_EQ(settle(box, ended), errc::success);
    EXPECT_EQ(settle(box, ended), errc::success);
    EXPECT_EQ(ended, (outcomes{{0, errc::success}, {1, errc::success}}));
    EXPECT_EQ(box.under_way(), 0u);
    EXPECT_TRUE(performed_by(owner).empty());
  }
}

TEST(PacketBoard, ThoseOfOneOriginArePerformedInOrder) {
  for (const int ranks : {3, 40}) {
    const std::uint64_t n = 2000;
    node t(ranks);
    std::vector<std::thread> origins;
    for (const int me : {0, 1})
      origins.emplace_back([&t, me, ranks, n] {
        packet_board board = t.of(me);
        packet_board::outbox box(board, ranks - 1);
        outcomes ended;
        for (std::uint64_t i = 1; i <= n; ++i) {
          if (box.full()) {
            EXPECT_EQ(settle(box, ended), errc::success);
          }
          box.post(numbered(2 * i + static_cast<unsigned>(me)));
        }
        while (box.under_way() != 0) EXPECT_EQ(settle(box, ended), errc::success);
        EXPECT_EQ(ended.size(), n);
      });
    packet_board owner = t.of(ranks - 1);
    std::uint64_t last[2] = {0, 0};
    for (std::uint64_t seen = 0; seen < 2 * n;)
      for (const std::uint64_t head : performed_by(owner)) {
        EXPECT_EQ(head / 2, last[head % 2] + 1);
        last[head % 2] = head / 2;
        ++seen;
      }
    for (std::thread& each : origins) each.join();
  }
}

TEST(PacketBoard, AFailureIsThatPacketsAlone) {
  node t(2);
  packet_board origin = t.of(0), owner = t.of(1);
  packet_board::outbox box(origin, 1);
  outcomes ended;
  box.post(numbered(1));
  EXPECT_EQ(performed_by(owner, errc::rma_range).size(), 1u);
  box.post(numbered(2));
  EXPECT_EQ(performed_by(owner).size(), 1u);
  EXPECT_EQ(settle(box, ended), errc::success);
  EXPECT_EQ(settle(box, ended), errc::success);
  EXPECT_EQ(ended, (outcomes{{0, errc::rma_range}, {1, errc::success}}));
}

// The origin may use its room for something else, and posts again where its owner looks next.
TEST(PacketBoard, WhatIsNotTakenInTimeIsNeverPerformed) {
  for (const int ranks : {2, 40}) {
    for (const std::uint64_t before : {0u, 1u}) {
      node t(ranks, 30ms);
      packet_board origin = t.of(0), owner = t.of(1);
      packet_board::outbox box(origin, 1);
      outcomes ended;
      for (std::uint64_t i = 0; i < before; ++i) {
        box.post(numbered(i));
        EXPECT_EQ(performed_by(owner).size(), 1u);
        EXPECT_EQ(settle(box, ended), errc::success);
      }
      ended.clear();
      box.post(numbered(10));
      box.post(numbered(11));
      EXPECT_EQ(settle(box, ended), errc::timed_out);
      EXPECT_EQ(ended, (outcomes{{1 - before, errc::timed_out}, {before, errc::timed_out}}));
      EXPECT_EQ(box.under_way(), 0u);
      EXPECT_TRUE(performed_by(owner).empty());
      box.post(numbered(12));
      box.post(numbered(13));
      EXPECT_EQ(performed_by(owner), (std::vector<std::uint64_t>{12, 13}));
      EXPECT_EQ(settle(box, ended), errc::success);
      EXPECT_EQ(settle(box, ended), errc::success);
    }
  }
}

// What its owner has begun to perform stays under way; what is behind it does not.
TEST(PacketBoard, WhatIsTakenIsNotWithdrawn) {
  node t(2, 30ms);
  packet_board origin = t.of(0), owner = t.of(1);
  packet_board::outbox box(origin, 1);
  std::atomic<bool> is_taken = false, goes_on = false;
  box.post(numbered(1));
  box.post(numbered(2));
  std::vector<std::uint64_t> heads;
  std::thread performs([&] {
    owner.serve_pending([&](const packet_note& n) {
      heads.push_back(n.head);
      is_taken = true;
      while (!goes_on) std::this_thread::yield();
      return errc::success;
    });
  });
  while (!is_taken) std::this_thread::yield();
  outcomes ended;
  EXPECT_EQ(settle(box, ended), errc::timed_out);
  EXPECT_EQ(ended, (outcomes{{1, errc::timed_out}}));
  EXPECT_EQ(box.under_way(), 1u);
  EXPECT_EQ(settle(box, ended, false), errc::timed_out) << "without patience it is not waited for";
  box.post(numbered(3));
  goes_on = true;
  performs.join();
  performed_by(owner);
  ended.clear();
  EXPECT_EQ(settle(box, ended), errc::success);
  EXPECT_EQ(settle(box, ended), errc::success);
  EXPECT_EQ(ended, (outcomes{{0, errc::success}, {1, errc::success}}));
  EXPECT_EQ(heads.front(), 1u);
}

// Else who fills packets faster than they are performed has the owner to itself.
TEST(PacketBoard, AnOwnerTurnsToOthersThoughAnOriginSendsOn) {
  for (const int ranks : {2, 40}) {
    node t(ranks);
    packet_board origin = t.of(0), owner = t.of(ranks - 1);
    packet_board::outbox box(origin, ranks - 1);
    outcomes ended;
    std::uint64_t posted = 0, performed = 0;
    box.post(numbered(++posted));
    const auto perform = [&](const packet_note&) {
      if (box.is_oldest_performed()) settle(box, ended);
      if (posted < 20) box.post(numbered(++posted));
      ++performed;
      return errc::success;
    };
    owner.serve_pending(perform);
    EXPECT_EQ(performed, packet_board::at_once);
    while (owner.serve_pending(perform)) continue;
    EXPECT_EQ(performed, 20u);
  }
}

TEST(PacketBoard, AnOwnerThatDiesIsNotWaitedFor) {
  node t(2);
  packet_board origin = t.of(0);
  packet_board::outbox box(origin, 1);
  outcomes ended;
  box.post(numbered(1));
  box.post(numbered(2));
  t.dead = 1;
  EXPECT_EQ(settle(box, ended), errc::peer_failed);
  EXPECT_EQ(settle(box, ended), errc::peer_failed);
  EXPECT_EQ(ended, (outcomes{{0, errc::peer_failed}, {1, errc::peer_failed}}));
}

TEST(PacketBoard, AnOwnerThatIsKnownToHaveDiedIsNotWaitedForAgain) {
  node t(2);
  packet_board origin = t.of(0), owner = t.of(1);
  packet_board::outbox box(origin, 1);
  outcomes ended;
  box.post(numbered(1));
  t.dead = 1;
  EXPECT_EQ(settle(box, ended), errc::peer_failed);
  const int found = t.found_dead, waits = t.waits.begun();
  const std::uint32_t rung = t.bell.rung.value;
  box.post(numbered(2));
  box.post(numbered(3));
  EXPECT_EQ(settle(box, ended), errc::peer_failed);
  EXPECT_EQ(settle(box, ended, false), errc::peer_failed);
  EXPECT_EQ(ended,
            (outcomes{{0, errc::peer_failed}, {1, errc::peer_failed}, {0, errc::peer_failed}}));
  EXPECT_EQ(t.found_dead, found);
  EXPECT_EQ(t.waits.begun(), waits);
  EXPECT_EQ(t.bell.rung.value, rung) << "nobody hears it";
}

// By whom its death may be known before this waits.
TEST(PacketBoard, WhatItsOwnerPerformedBeforeItDiedEndsWell) {
  node t(2);
  packet_board origin = t.of(0), owner = t.of(1);
  packet_board::outbox box(origin, 1);
  outcomes ended;
  box.post(numbered(1));
  EXPECT_EQ(performed_by(owner).size(), 1u);
  box.post(numbered(2));
  t.dead = 1;
  EXPECT_FALSE(t.peers.alive(1));
  EXPECT_EQ(settle(box, ended), errc::success);
  EXPECT_EQ(settle(box, ended), errc::peer_failed);
  EXPECT_EQ(ended, (outcomes{{0, errc::success}, {1, errc::peer_failed}}));
}

// Which slept on while a thread of the owner's program served.
TEST(PacketBoard, WhoeverWaitsWakesTheAgentOfAnOwnerThatAttendsNoLonger) {
  node t(2);
  packet_board origin = t.of(0), owner = t.of(1);
  packet_board::outbox box(origin, 1);
  t.bell.be_attended(true);
  t.bell.rung.sleepers = 1;
  std::atomic<std::uint32_t> before = t.bell.rung.value.load() + 1;
  box.post(numbered(1));
  std::thread agent([&] {
    futex_wait(t.bell.rung.value, before, 10s);
    while (performed_by(owner).empty()) std::this_thread::yield();
  });
  std::this_thread::sleep_for(20ms);
  const auto began = std::chrono::steady_clock::now();
  outcomes ended;
  EXPECT_EQ(settle(box, ended), errc::success);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  agent.join();
}

}  // namespace
}  // namespace oriel::sync
