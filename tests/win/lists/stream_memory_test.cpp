// How much memory a process takes that has gathered operations to very many nodes on their way, by
// the kernel's count of what is resident. Other nodes are a stand-in in the first tests, since a
// machine has no room for a thousand; the last one has real ones, as many as the job has.
#include <cstring>
#include <functional>
#include <random>
#include <utility>

#include "bench/support/resident_memory.hpp"
#include "tests/support/job.hpp"
#include "tests/win/stand_in_fabric.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/dismantle.hpp"
#include "win/route/remote_call.hpp"
#include "win/slots/slots.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using oriel::testing::job;
using oriel::testing::scoped_variable;
using oriel::testing::world;

constexpr int nodes = 1000;
constexpr std::size_t mebibyte = 1 << 20;

// Other nodes as far as their sender is concerned: packets leave, and are performed, and no answer
// comes before it is waited for, so that as much is under way as the sender lets be.
class thousand_nodes final : public stand_in_fabric {
 public:
  std::vector<std::uint64_t> sums = std::vector<std::uint64_t>(nodes + 1);  // by target
  std::size_t packets = 0;
  // Those without an answer, in all, and since the last that asked for one.
  std::size_t told = 0, unanswered = 0;
  bool fails_once = false;          // a packet that wants an answer
  std::function<void()> meanwhile;  // as a thread waits

  errc request(int, transport::message_head head, std::span<const std::byte> entries, void* results,
               std::size_t result_bytes, pending_ops& ops, pending_ops*) noexcept override {
    unanswered = 0;
    auto* const end = perform(head, entries, static_cast<std::byte*>(results));
    EXPECT_EQ(end - static_cast<std::byte*>(results), static_cast<std::ptrdiff_t>(result_bytes));
    ops.begin();
    if (std::exchange(fails_once, false)) ops.end(errc::peer_failed);
    return errc::success;
  }
  errc tell(int, transport::message_head head, std::span<const std::byte> entries,
            const pending_ops*) noexcept override {
    perform(head, entries, nullptr);
    ++told;
    ++unanswered;
    return errc::success;
  }
  errc wait(pending_ops& ops, int, const sync::peer_watch&) noexcept override {
    if (meanwhile) meanwhile();
    while (!ops.idle()) ops.end(errc::success);
    return ops.failure();
  }
  bool test(pending_ops& ops, int) noexcept override {
    while (!ops.idle()) ops.end(errc::success);
    return true;
  }

 private:
  // Returns where the results end.
  std::byte* perform(const transport::message_head& head, std::span<const std::byte> entries,
                     std::byte* results) {
    const std::uint32_t n = head.carried<packet_request>().entries;
    packets += n == 0 ? 0 : 1;
    std::size_t at = 0;
    std::uint64_t value = 0;  // of the last accumulate
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, &entries[at], sizeof word);
      at += sizeof word;
      const packet_word w = packet_word::unpacked(word);
      if (w.call == detail::list_call::get) {
        std::memcpy(results, &sums[w.node_rank], sizeof value);
        results += sizeof value;
        continue;
      }
      if (w.call == detail::list_call::accumulate) {
        std::memcpy(&value, &entries[at], sizeof value);
        at += sizeof value;
      }
      sums[w.node_rank] += value;
    }
    EXPECT_EQ(at, entries.size());
    return results;
  }
};

// A window of this process and of a thousand others. Each of them performs what is for it, as one
// of each of a thousand nodes does.
class StreamMemory : public ::testing::Test {
 protected:
  StreamMemory() {
    if (oriel::testing::ranks() != 1) return;
    window_options options;
    options.aggregate = true;
    construction c;
    c.base = datatype::of<std::uint64_t>();
    c.count = 1;
    c.promised = assertion::shared_lock | assertion::multi_element | assertion::ordered_accumulate;
    c.options = &options;
    core_ = build(world(), c);
    core_->agreed.aggregate = true;
    alone_ = core_->group;
    detail::session_state& s = *world().shared_state()->shared_session();
    const std::uint64_t block =
        s.memory().allocate(detail::team_state::bytes_of_block(nodes + 1, nodes + 1, 1),
                            sessions::node_collectives::alignment);
    core_->group = std::make_shared<detail::team_state>(
        alone_->shared_session(), std::vector<int>(nodes + 1, 0), 0, block, 77);
    const auto& known = s.extension<known_routes>();
    for (int r = 0; r <= nodes; ++r) {
      peer_facts facts;
      facts.same_process = r == 0;
      facts.same_node = r == 0;
      core_->routes.add(known, c.promised, facts);
      core_->memory.own_entries.push_back({detail::unmapped, 1});
    }
  }
  void SetUp() override {
    if (core_ == nullptr) GTEST_SKIP() << "of a process by itself";
  }
  ~StreamMemory() override {
    if (core_ == nullptr) return;
    core_->routes.remote.reset();
    core_->routes = route_table(0);
    core_->memory.own_entries.clear();
    core_->group = alone_;
    dismantle(std::move(core_)).or_throw();
  }

  const detail::operation_table& open_streams() {
    core_->routes.remote = std::make_unique<remote_window>(*core_, way_, 1, false);
    assemble(*core_);
    return core_->operations.table;
  }

  // How much memory `adds` accumulates and `gets` deferred gets take, to nodes at random.
  std::size_t stream(int adds, int gets) {
    const detail::operation_table& to = open_streams();
    std::mt19937 random(1);
    const auto any_node = [&] { return rank{static_cast<int>(random() % nodes) + 1}; };
    std::uint64_t one = 1, got = 0;
    const bench::memory_growth growth;
    // To each once: the first leaves at once, so that there is a stream to each.
    for (int r = 1; r <= nodes; ++r)
      EXPECT_EQ(to.accumulate(*core_, atomic_op::sum, rank{r}, disp{0}, &one, {}), errc::success);
    EXPECT_EQ(way_.packets, static_cast<std::size_t>(nodes));
    for (int i = 0; i < adds; ++i)
      EXPECT_EQ(to.accumulate(*core_, atomic_op::sum, any_node(), disp{0}, &one, {}),
                errc::success);
    for (int i = 0; i < gets; ++i)
      EXPECT_EQ(to.get_n(*core_, any_node(), disp{0}, &got, 1, nullptr, {}), errc::success);
    EXPECT_EQ(to.flush(*core_, any_rank, flush_scope::target, {}), errc::success);
    const std::size_t most = growth.at_most();
    std::uint64_t sum = 0;
    for (const std::uint64_t s : way_.sums) sum += s;
    EXPECT_EQ(sum, static_cast<std::uint64_t>(nodes) + static_cast<std::uint64_t>(adds));
    EXPECT_GT(got, 0u);
    // In few messages: what waits gathers, though there is not room for all nodes' packets at once.
    EXPECT_LT(way_.packets, static_cast<std::size_t>(adds + gets) / 100 + 3 * nodes);
    return most;
  }

  std::shared_ptr<detail::team_state> alone_;
  thousand_nodes way_;
  std::unique_ptr<detail::window_core> core_;
};

TEST_F(StreamMemory, OfAThousandNodesIsBounded) {
  const std::size_t most = stream(3'000'000, 6'000'000);
  RecordProperty("bytes", static_cast<int>(most));
  EXPECT_LE(most, 64 * mebibyte) << most / 1024 << " KiB";
  std::printf("%d nodes: %zu KiB\n", nodes, most / 1024);
}

// What is measured is what the streams take: with room for more they take more.
TEST_F(StreamMemory, IsSeenByTheKernelsCount) {
  const scoped_variable more("ORIEL_AGGREGATE_BYTES", "167772160");
  EXPECT_GT(stream(3'000'000, 6'000'000), 64 * mebibyte);
}

TEST_F(StreamMemory, OneAnswerIsForAllFullPacketsBeforeIt) {
  const detail::operation_table& to = open_streams();
  const std::uint64_t one = 1;
  const auto add = [&] {
    EXPECT_EQ(to.accumulate(*core_, atomic_op::sum, rank{1}, disp{0}, &one, {}), errc::success);
  };
  constexpr std::size_t n = 50'000;
  for (std::size_t i = 0; i < n; ++i) add();
  EXPECT_GT(way_.told, way_.packets * 8 / 10);
  EXPECT_LT(way_.unanswered, 8u);
  while (way_.unanswered == 0) add();
  EXPECT_EQ(to.flush(*core_, any_rank, flush_scope::target, {}), errc::success);
  EXPECT_EQ(way_.unanswered, 0u) << "a flush has all answered";
  EXPECT_GE(way_.sums[1], n);
}

// Another thread's flush would find that nothing has failed.
TEST_F(StreamMemory, AFailureIsLatchedBeforeTheNextStreamIsWaitedFor) {
  const detail::operation_table& to = open_streams();
  const std::uint64_t one = 1;
  way_.fails_once = true;
  for (const int r : {1, 2})
    EXPECT_EQ(to.accumulate(*core_, atomic_op::sum, rank{r}, disp{0}, &one, {}), errc::success);
  std::vector<errc> latched;
  way_.meanwhile = [&] { latched.push_back(core_->first_error()); };
  EXPECT_EQ(to.flush(*core_, any_rank, flush_scope::target, {}), errc::peer_failed);
  ASSERT_FALSE(latched.empty());
  EXPECT_EQ(latched.back(), errc::peer_failed) << "as the other stream was waited for";
  core_->clear_failure();
}

// Which a notification must not pass, should it be lost.
TEST_F(StreamMemory, EachPacketIsAnsweredWhereNotificationsArePromised) {
  core_->agreed.promised = core_->agreed.promised | assertion::notify;
  const detail::operation_table& to = open_streams();
  const std::uint64_t one = 1;
  for (int i = 0; i < 10'000; ++i)
    EXPECT_EQ(to.accumulate(*core_, atomic_op::sum, rank{1}, disp{0}, &one, {}), errc::success);
  EXPECT_GT(way_.packets, 3u);
  EXPECT_EQ(way_.told, 0u);
  EXPECT_EQ(to.flush(*core_, any_rank, flush_scope::target, {}), errc::success);
}

TEST(RealStreamMemory, OfEachNodeIsSmall) {
  if (!oriel::testing::spans_nodes()) GTEST_SKIP() << "on one node nothing streams";
  window_options options;
  options.aggregate = true;
  auto w = window<std::uint64_t>::allocate(
      world(), 1024, assertion::shared_lock | assertion::local_load_store, options);
  std::size_t most = 0;
  constexpr int each = 20000;
  if (world().me() == rank{0}) {
    std::mt19937 random(1);
    std::vector<std::uint64_t> got(each);
    auto epoch = w.lock_all();
    const bench::memory_growth growth;
    for (std::size_t i = 0; i < each; ++i)
      for (int r = 1; r < world().size(); ++r) {
        ASSERT_TRUE(w.add(rank{r}, disp{random() % 1024}, 1).ok()) << w.failure();
        ASSERT_TRUE(w.get_nbi(rank{r}, disp{random() % 1024}, got[i]).ok()) << w.failure();
      }
    ASSERT_TRUE(w.flush_all().ok()) << w.failure();
    most = growth.at_most();
    std::printf("%d nodes: %zu KiB, %zu a node\n", world().size() - 1, most / 1024,
                most / 1024 / static_cast<std::size_t>(world().size() - 1));
  }
  ASSERT_TRUE(world().barrier().ok());
  std::uint64_t sum = 0;
  for (const std::uint64_t v : w.local()) sum += v;
  EXPECT_EQ(sum, world().me() == rank{0} ? 0u : std::uint64_t{each});
  EXPECT_LE(most, 64 * mebibyte) << most / 1024 << " KiB";
}

}  // namespace
}  // namespace oriel::win
