// Gathering windows where nodes have several ranks: what these have for one node goes in packets
// that they share (win/route/packet_sharing.cpp), each once, and what one rank has begun, in that
// order.
#include <chrono>
#include <thread>

#include "tests/support/seed.hpp"
#include "tests/win/lists/random_list.hpp"
#include "win/window_core.hpp"

namespace oriel::testing {
namespace {

using namespace std::chrono_literals;

constexpr assertion_set simple = assertion::shared_lock | assertion::local_load_store;

auto gathering_window(std::size_t count) {
  window_options o;
  o.name = "shared";
  o.aggregate = true;
  return window<std::uint64_t, simple>::allocate(world(), count, o);
}

std::uint64_t of_all(std::uint64_t mine) {
  return world().allreduce(mine, atomic_op::sum);
}

bool nodes_have_neighbours() {
  const sessions::placement& where = world().shared_state()->where();
  return where.nodes() > 1 && where.ranks_on(0).size() > 1;
}

// Each adds a little for a rank of another node, again and again, and lets time go by.
TEST(SharedStreams, RanksOfANodeSendOneMessageForSeveral) {
  if (!nodes_have_neighbours()) GTEST_SKIP() << "needs several ranks on each of several nodes";
  auto w = gathering_window(64);
  const sessions::placement& where = world().shared_state()->where();
  const rank to{where.ranks_on((where.node_of(me()) + 1) % where.nodes()).front()};
  const win::packet_streams& packets = *w.any().view().core->routes.packets;
  const auto until = std::chrono::steady_clock::now() + 30s;
  std::uint64_t rounds = 0, alone = 1;
  auto epoch = w.lock_all();
  while (alone != 0 && std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < 5; ++k) ASSERT_TRUE(w.add(to, disp{1}, 1).ok());
      std::this_thread::sleep_for(60us);
    }
    ASSERT_TRUE(w.flush_all().ok()) << w.failure();
    ++rounds;
    // More has been given to shared packets than there were of them: some had several shares.
    alone = of_all(packets.shares()) > of_all(packets.sent_for_all()) ? 0 : 1;
  }
  EXPECT_EQ(alone, 0u) << "no packet had what two ranks have begun";
  ASSERT_TRUE(epoch.end().ok());
  EXPECT_EQ(w.explain().find("packets that the ranks of its node share") != std::string::npos,
            packets.shares() != 0);
  world().barrier().or_throw();
  const std::uint64_t sum = of_all(w.local()[1]);
  EXPECT_EQ(sum, of_all(30 * rounds));
}

// What this rank has begun is old enough to be shared, and not to leave, after so long.
void let_it_age(win::remote_window& remote) {
  const auto until = std::chrono::steady_clock::now() + 30us;
  while (std::chrono::steady_clock::now() < until) {
    remote.way().tick_soon();
    remote.way().progress();
  }
}

// Packets of a rank's own, which leave when they are full, and such as neighbours send for it.
TEST(SharedStreams, DoNotPassFullPacketsNorArePassedByThem) {
  if (!nodes_have_neighbours()) GTEST_SKIP() << "needs several ranks on each of several nodes";
  const std::uint64_t s = seed_or(17);
  std::mt19937_64 random(s * 1000 + static_cast<unsigned>(me()));
  auto w = gathering_window(static_cast<unsigned>(world().size()));
  win::remote_window& remote = *w.any().view().core->routes.remote;
  const sessions::placement& where = world().shared_state()->where();
  const auto there = where.ranks_on((where.node_of(me()) + 1) % where.nodes());
  const rank to{there[static_cast<std::size_t>(me()) % there.size()]};
  const disp mine{static_cast<unsigned>(me())};
  std::uint64_t value = 0;
  {
    auto epoch = w.lock_all();
    for (int round = 0; round < 400; ++round) {
      for (auto steps = 1 + random() % 6; steps > 0; --steps) {
        // A packet takes a thousand.
        for (auto n = random() % 2 == 0 ? 1 + random() % 4 : 1000 + random() % 100; n > 0; --n)
          ASSERT_TRUE(w.put(to, mine, ++value).ok());
        if (random() % 2 == 0) let_it_age(remote);
      }
      ASSERT_TRUE(w.flush(to).ok()) << w.failure();
      std::uint64_t found = 0;
      ASSERT_TRUE(w.get_nbi(to, mine, found).ok());
      ASSERT_TRUE(w.flush(to).ok()) << w.failure();
      ASSERT_EQ(found, value) << "seed " << s << ", round " << round;
    }
  }
  world().barrier().or_throw();
}

// Each has elements of its own everywhere, and knows what is in them.
class own_elements {
 public:
  static constexpr std::uint64_t each = 8;
  own_elements() : known_(each * static_cast<std::size_t>(world().size())) {}

  std::uint64_t& of(rank r, std::uint64_t i) {
    return known_[static_cast<std::size_t>(r.value) * each + i];
  }
  static disp at(std::uint64_t i) { return disp{each * static_cast<unsigned>(me()) + i}; }

 private:
  std::vector<std::uint64_t> known_;
};

struct expected_result {
  std::uint64_t got = ~std::uint64_t{0};
  std::uint64_t wanted = 0;
};

TEST(SharedStreams, KeepEachRanksOrderWhateverThePacketsAre) {
  const scoped_variable little("ORIEL_AGGREGATE_BYTES", "65536");
  const std::uint64_t s = seed_or(3);
  std::mt19937_64 random(s * 1000 + static_cast<unsigned>(me()));
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  auto w = gathering_window(own_elements::each * static_cast<unsigned>(world().size()));
  own_elements mine;
  {
    auto epoch = w.lock_all();
    for (int round = 0; round < 60; ++round) {
      std::vector<expected_result> results(400);
      for (expected_result& one : results) {
        const rank r{static_cast<int>(below(static_cast<unsigned>(world().size())))};
        const std::uint64_t i = below(own_elements::each);
        std::uint64_t& known = mine.of(r, i);
        switch (below(4)) {
          case 0:
            ASSERT_TRUE(w.put(r, own_elements::at(i), known = random() >> 8).ok());
            one.got = one.wanted;
            break;
          case 1:
            ASSERT_TRUE(w.add(r, own_elements::at(i), 1).ok());
            ++known;
            one.got = one.wanted;
            break;
          case 2:
            one.wanted = known;
            ASSERT_TRUE(w.get_nbi(r, own_elements::at(i), one.got).ok());
            break;
          default:
            one.wanted = known++;
            ASSERT_TRUE(w.fetch_add_nbi(r, own_elements::at(i), 1, one.got).ok());
        }
        if (below(40) == 0) std::this_thread::sleep_for(30us);
        if (below(60) == 0) {
          ASSERT_TRUE(w.flush(r).ok()) << w.failure();
        }
      }
      ASSERT_TRUE(w.flush_all().ok()) << w.failure();
      for (std::size_t j = 0; j < results.size(); ++j)
        ASSERT_EQ(results[j].got, results[j].wanted) << "seed " << s << ", " << round << ", " << j;
    }
  }
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
