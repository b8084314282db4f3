// The packets that ranks of a node share, by themselves: threads stand for the ranks, and whoever
// closes a packet stands for its server.
#include "win/route/shared_packets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/seed.hpp"

namespace oriel::win {
namespace {

using state = shared_packets::state;

constexpr std::size_t longest = 1024;

struct block {
  explicit block(int nodes, std::size_t each = longest)
      : memory(shared_packets::bytes(nodes, each) / sizeof(line) + 1),
        packets((shared_packets::lay_out(bytes(), each), bytes())) {}
  [[nodiscard]] std::byte* bytes() { return reinterpret_cast<std::byte*>(memory.data()); }

  struct alignas(64) line {
    std::array<std::byte, 64> zeros{};
  };
  std::vector<line> memory;
  shared_packets packets;
};

using words = std::vector<std::uint64_t>;

std::optional<shared_packets::share> join(shared_packets& p, const words& w, std::size_t results,
                                          int node = 0) {
  return p.join(node, std::as_bytes(std::span(w)), static_cast<std::uint32_t>(w.size()), 1,
                results);
}
words entries_of(const shared_packets::contents& c) {
  words w(c.entries.size() / sizeof(std::uint64_t));
  std::memcpy(w.data(), c.entries.data(), c.entries.size());
  return w;
}

TEST(SharedPackets, HoldWhatIsAddedInTheOrderOfTheShares) {
  block b(2);
  const auto first = join(b.packets, {1, 2}, 8, 1);
  const auto second = join(b.packets, {3}, 16, 1);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(b.packets.some_wait(1, 8, 8));
  EXPECT_FALSE(b.packets.some_wait(0, 8, 8)) << "that node's are its own";
  EXPECT_FALSE(b.packets.some_wait(1, longest, 8)) << "it would not fit";
  EXPECT_EQ(first->in, second->in);
  EXPECT_EQ(second->results_at, 8u);
  EXPECT_EQ(shared_packets::state_of(*first), state::open);
  ASSERT_TRUE(shared_packets::close(*second, 5));
  EXPECT_FALSE(shared_packets::close(*first, 6)) << "one sends it";
  EXPECT_EQ(shared_packets::state_of(*first), state::closed);
  EXPECT_EQ(shared_packets::sender_of(*first), 5);
  ASSERT_TRUE(shared_packets::is_written(*first->in));
  const auto has = b.packets.contents_of(*first->in);
  EXPECT_EQ(entries_of(has), (words{1, 2, 3}));
  EXPECT_EQ(has.count, 3u);
  EXPECT_EQ(has.results.size(), 24u);
}

TEST(SharedPackets, AreFilledAnewOnceAllResultsAreTaken) {
  block b(1);
  const auto mine = join(b.packets, {1}, 8);
  ASSERT_TRUE(mine && shared_packets::close(*mine, 0));
  shared_packets::end_round(*mine->in, errc::success);
  EXPECT_EQ(shared_packets::state_of(*mine), state::done);
  const auto other = join(b.packets, {2}, 0);
  ASSERT_TRUE(other);
  EXPECT_NE(other->in, mine->in) << "results are still in the first";
  shared_packets::took_results(*mine);
  const auto again = join(b.packets, {3}, 0);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->in, mine->in);
  EXPECT_EQ(shared_packets::state_of(*mine), state::done) << "whatever the next round does";
  EXPECT_EQ(shared_packets::outcome_of(*mine), errc::success);
}

TEST(SharedPackets, ThatHaveFailedAreNotUsedAgain) {
  block b(1);
  const auto before = join(b.packets, {1}, 0);
  ASSERT_TRUE(before && shared_packets::close(*before, 0));
  shared_packets::end_round(*before->in, errc::success);
  const auto mine = join(b.packets, {1}, 0);
  ASSERT_TRUE(mine && shared_packets::close(*mine, 0));
  shared_packets::end_round(*mine->in, errc::peer_failed);
  EXPECT_EQ(shared_packets::outcome_of(*mine), errc::peer_failed);
  EXPECT_EQ(shared_packets::outcome_of(*before), errc::success) << "that was an earlier round";
  const auto next = join(b.packets, {1}, 0);
  ASSERT_TRUE(next);
  EXPECT_NE(next->in, mine->in);
  ASSERT_TRUE(shared_packets::close(*next, 0));
  shared_packets::end_round(*next->in, errc::timed_out);
  EXPECT_FALSE(join(b.packets, {1}, 0));
}

TEST(SharedPackets, TakeNoMoreThanFits) {
  block b(1);
  const words half(longest / 16 + 1);
  std::set<shared_packets::packet*> used;
  for (int i = 0; i < shared_packets::per_node; ++i) {
    const auto mine = join(b.packets, half, 0);
    ASSERT_TRUE(mine);
    used.insert(mine->in);
  }
  EXPECT_EQ(used.size(), static_cast<std::size_t>(shared_packets::per_node));
  EXPECT_FALSE(join(b.packets, half, 0));
  EXPECT_FALSE(join(b.packets, {}, longest + 8));
  EXPECT_TRUE(join(b.packets, {1}, longest));
  EXPECT_EQ(shared_packets::packet_bytes_for(1000, 32u << 20, 16u << 10) % 64, 0u);
  EXPECT_LE(shared_packets::bytes(1000, shared_packets::packet_bytes_for(1000, 32u << 20, 16384)),
            33u << 20);
}

// A thread that stands for one. Entries are numbers, and the odd ones want a result: one more.
class sharing_rank {
 public:
  sharing_rank(shared_packets& p, int me, std::uint64_t s) : packets_(p), me_(me), random_(s) {}

  // `performed`: by rank, the entries in the order in which whoever closed their packet did them.
  void run(int shares, std::vector<words>& performed, std::mutex& hold) {
    for (int done = 0; done < shares; ++done) {
      const words mine = next_entries();
      const bool wants = mine[0] % 2 == 1;
      std::optional<shared_packets::share> share;
      while (!(share = join(packets_, mine, wants ? mine.size() * 8 : 0, 0)))
        std::this_thread::yield();
      while (shared_packets::state_of(*share) != state::done) {
        if (random_() % 4 == 0 && shared_packets::close(*share, me_))
          serve(*share->in, performed, hold);
        std::this_thread::yield();
      }
      ASSERT_EQ(shared_packets::outcome_of(*share), errc::success);
      if (!wants) continue;
      words back(mine.size());
      std::memcpy(back.data(), packets_.results_of(*share), back.size() * 8);
      shared_packets::took_results(*share);
      for (std::size_t i = 0; i < mine.size(); ++i) ASSERT_EQ(back[i], mine[i] + 1);
    }
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  words next_entries() {
    const std::uint64_t wants = random_() % 2;
    words w(1 + random_() % 20);
    for (std::uint64_t& x : w) x = static_cast<std::uint64_t>(me_) << 32 | count_++ << 1 | wants;
    return w;
  }
  void serve(shared_packets::packet& p, std::vector<words>& performed, std::mutex& hold) {
    while (!shared_packets::is_written(p)) std::this_thread::yield();
    const auto has = packets_.contents_of(p);
    const words entries = entries_of(has);
    EXPECT_EQ(entries.size(), has.count);
    words results;
    for (const std::uint64_t x : entries)
      if (x % 2 == 1) results.push_back(x + 1);
    ASSERT_EQ(results.size() * 8, has.results.size());
    std::memcpy(has.results.data(), results.data(), results.size() * 8);
    {
      const std::lock_guard one(hold);
      for (const std::uint64_t x : entries) performed.at(x >> 32).push_back(x & 0xffffffffu);
    }
    shared_packets::end_round(p, errc::success);
  }

  shared_packets& packets_;
  int me_;
  std::mt19937_64 random_;
  std::uint64_t count_ = 0;
};

TEST(SharedPackets, CarryEachEntryOnceInItsRanksOrder) {
  constexpr int ranks = 4, shares = 3000;
  const std::uint64_t s = testing::seed_or(11);
  block b(1);
  std::vector<sharing_rank> all;
  for (int r = 0; r < ranks; ++r) all.emplace_back(b.packets, r, s + static_cast<unsigned>(r));
  std::vector<words> performed(ranks);
  std::mutex hold;
  std::vector<std::thread> threads;
  for (sharing_rank& r : all) threads.emplace_back([&] { r.run(shares, performed, hold); });
  for (std::thread& t : threads) t.join();
  for (int r = 0; r < ranks; ++r) {
    const words& mine = performed[static_cast<std::size_t>(r)];
    ASSERT_EQ(mine.size(), all[static_cast<std::size_t>(r)].count()) << "seed " << s;
    for (std::size_t i = 0; i < mine.size(); ++i) ASSERT_EQ(mine[i] >> 1, i) << "seed " << s;
  }
}

}  // namespace
}  // namespace oriel::win
