// Collective construction: it succeeds or fails on every rank alike, with a reason, and leaves
// nothing.
#include <filesystem>

#include "oriel/oriel.hpp"
#include "session/session_state.hpp"
#include "tests/support/descriptors.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

// Same code and same text on every rank.
void expect_alike(const thrown& t) {
  const auto codes = world().allgather(static_cast<int>(t.code));
  const auto texts = world().allgather(std::hash<std::string>{}(t.text));
  for (int r = 0; r < ranks(); ++r) {
    EXPECT_EQ(codes[static_cast<std::size_t>(r)], codes[0]) << t.text;
    EXPECT_EQ(texts[static_cast<std::size_t>(r)], texts[0]) << t.text;
  }
}

template <class Work>
thrown fails_everywhere(errc code, Work work) {
  // Nobody allocates while somebody measures.
  world().barrier().or_throw();
  const std::size_t used = job().state()->memory().used();
  const std::size_t descriptors = open_descriptors();
  world().barrier().or_throw();
  const thrown t = catch_error(work);
  EXPECT_EQ(t.code, code) << t.text;
  expect_alike(t);
  world().barrier().or_throw();
  EXPECT_EQ(job().state()->memory().used(), used) << "node memory was left behind";
  // Between nodes connections are made when they are needed.
  if (!spans_nodes()) {
    EXPECT_EQ(open_descriptors(), descriptors);
  }
  world().barrier().or_throw();
  return t;
}

using words = window<std::uint64_t>;

TEST(Construct, EveryAssertionAlone) {
  for (const assertion a : all_assertions) {
    if (a == assertion::attach || (a == assertion::remote_load_store && spans_nodes())) continue;
    auto w = words::allocate(world(), 8, a);
    EXPECT_EQ(w.assertions(), assertion_set(a));
  }
  auto w = words::create(world(), assertion::attach);
  EXPECT_TRUE(w.assertions().has(assertion::attach));
}

TEST(Construct, FailsWhereOneRankLacksAnyOneAssertion) {
  for (const assertion a : all_assertions) {
    const auto lacking = [a] {
      std::optional<scoped_variable> without;
      if (me() == ranks() - 1) without.emplace("ORIEL_WITHOUT", std::string(name(a)));
      const std::span<std::byte> memory = job().alloc_mem(64);
      const thrown t = catch_error([&] {
        words::create(world(),
                      std::span(reinterpret_cast<std::uint64_t*>(memory.data()), std::size_t{8}),
                      assertion_set(a));
      });
      job().free_mem(memory).or_throw();
      if (t.code != errc::success) throw error(t.code, t.text);
    };
    const thrown t = fails_everywhere(errc::unsupported_assertion, lacking);
    EXPECT_NE(t.text.find("assertion::" + std::string(name(a))), std::string::npos) << t.text;
    EXPECT_NE(t.text.find("rank " + std::to_string(ranks() - 1)), std::string::npos) << t.text;
  }
}

TEST(Construct, FailsWhereRanksAskForDifferentAssertions) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  for (const assertion a : all_assertions) {
    const assertion_set mine = me() == 0 ? assertion_set{} : assertion_set(a);
    const thrown t = fails_everywhere(errc::mismatched_assertions, [&] {
      words::create(world(), std::span<std::uint64_t>(), mine);
    });
    EXPECT_NE(t.text.find(name(a)), std::string::npos) << t.text;
    EXPECT_NE(t.text.find("rank 0 for none"), std::string::npos) << t.text;
  }
}

TEST(Construct, RefusesAttachOnAllocate) {
  const thrown t = fails_everywhere(errc::unsupported_assertion,
                                    [] { words::allocate(world(), 8, assertion::attach); });
  EXPECT_NE(t.text.find("attach is for windows made by create"), std::string::npos);
}

TEST(Construct, RefusesRemoteLoadStoreAcrossNodes) {
  if (!spans_nodes()) GTEST_SKIP() << "needs two nodes";
  const thrown t = fails_everywhere(errc::unsupported_assertion, [] {
    words::allocate(world(), 8, assertion::remote_load_store);
  });
  EXPECT_NE(t.text.find("the ranks are on several nodes"), std::string::npos) << t.text;
}

TEST(Construct, RefusesRemoteLoadStoreOnPrivateMemoryOfOneRank) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  if (spans_nodes()) GTEST_SKIP() << "needs one node";
  for (const assertion a : {assertion::remote_load_store, assertion::node_load_store}) {
    std::vector<std::uint64_t> mine(8);
    const std::span<std::byte> shared = job().alloc_mem(64);
    const std::span<std::uint64_t> memory =
        me() == 1 ? std::span(mine)
                  : std::span(reinterpret_cast<std::uint64_t*>(shared.data()), std::size_t{8});
    const thrown t =
        fails_everywhere(errc::unsupported_assertion, [&] { words::create(world(), memory, a); });
    EXPECT_NE(t.text.find("to rank 1"), std::string::npos) << t.text;
    job().free_mem(shared).or_throw();
  }
}

TEST(Construct, FailsAlikeForBadArgumentsOfOneRank) {
  const bool culprit = me() == ranks() - 1;
  const std::string who = "rank " + std::to_string(ranks() - 1);
  thrown t = fails_everywhere(errc::size, [&] {
    words::allocate(world(), culprit ? std::size_t{1} << 62 : 1, assertion::fence);
  });
  EXPECT_NE(t.text.find(who), std::string::npos) << t.text;
  t = fails_everywhere(errc::info, [&] {
    window_options o;
    if (culprit) o.hints.set("mpi_minimum_memory_alignment", "48");
    words::allocate(world(), 8, assertion::fence, o);
  });
  EXPECT_NE(t.text.find("power of two"), std::string::npos) << t.text;
  t = fails_everywhere(errc::base, [&] {
    any_window::create(world(), nullptr, culprit ? 4 : 0, datatype::of<int>(), assertion::fence);
  });
  t = fails_everywhere(errc::no_mem,
                       [&] { words::allocate(world(), std::size_t{1} << 40, assertion::fence); });
  EXPECT_NE(t.text.find("are available"), std::string::npos) << t.text;
}

TEST(Construct, CountsMayDifferAndBeZero) {
  const std::size_t mine = me() % 2 == 0 ? 0 : static_cast<std::size_t>(10 * me());
  auto w = window<int, assertion::local_load_store | assertion::fence>::allocate(world(), mine);
  EXPECT_EQ(w.local().size(), mine);
  for (const int v : w.local()) EXPECT_EQ(v, 0);
  for (int r = 0; r < ranks(); ++r) {
    if (!world().on_node(rank{r})) continue;
    const auto s = w.shared_query(rank{r});
    EXPECT_EQ(s.count, r % 2 == 0 ? 0u : static_cast<std::uint64_t>(10 * r));
    EXPECT_NE(s.base, nullptr) << "a rank without memory still has a base";
  }
}

TEST(Construct, SegmentsAreContiguousUnlessToldOtherwise) {
  using mapped = window<int, assertion::remote_load_store | assertion::fence>;
  const team near = job().node();
  auto w = mapped::allocate(near, 10);
  for (int r = 1; r < near.size(); ++r)
    EXPECT_EQ(w.remote(rank{r}).data(), w.remote(rank{r - 1}).data() + 10);
  window_options apart;
  apart.hints.set("alloc_shared_noncontig", "true");
  auto x = mapped::allocate(near, 10, apart);
  for (int r = 0; r < near.size(); ++r)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.remote(rank{r}).data()) % 4096, 0u);
  window_options aligned;
  aligned.hints.set("mpi_minimum_memory_alignment", "1024");
  auto y = mapped::allocate(near, 10, aligned);
  for (int r = 0; r < near.size(); ++r)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(y.remote(rank{r}).data()) % 1024, 0u);
  EXPECT_EQ(y.hints().get("mpi_minimum_memory_alignment"), "1024");
}

TEST(Construct, LargeWindowsAreZeroedAndGivenBack) {
  world().barrier().or_throw();
  const std::size_t used = job().state()->memory().used();
  world().barrier().or_throw();
  for (int i = 0; i < 3; ++i) {
    auto w = window<std::uint64_t, assertion::local_load_store | assertion::fence>::allocate(
        world(), 1 << 18);
    for (std::uint64_t& v : w.local()) {
      ASSERT_EQ(v, 0u);
      v = ~0ull;
    }
  }
  world().barrier().or_throw();
  EXPECT_EQ(job().state()->memory().used(), used);
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
