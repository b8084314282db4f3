// Accumulates of many elements beside atomics on single ones, of all ranks on one rank's memory:
// every operation on every element type, aligned and not. All fetch, so that each element's balance
// is known: what was found there and its last value are what was stored there and its first value.
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "tests/atomics/oracle.hpp"
#include "tests/support/job.hpp"
#include "tests/support/seed.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t length = 40;
constexpr int rounds = 60;

// What the ranks have found and stored at the elements.
struct trace {
  std::array<std::vector<element>, length> found, stored;
  void note(atomic_op op, primitive p, std::size_t at, const std::byte* before,
            const element& operand) {
    found[at].push_back(normal(p, read_element(p, before)));
    stored[at].push_back(normal(p, oracle(op, p, found[at].back(), operand)));
  }
};

any_window bytes_of(const team& world, std::size_t n) {
  return any_window::allocate(world, n, datatype::bytes(1),
                              assertion::local_load_store | assertion::shared_lock |
                                  assertion::user_datatype | assertion::multi_element);
}

// All ranks' traces, on rank 0; they meet twice.
std::vector<trace> gather(const team& world, primitive p, const trace& mine) {
  const std::size_t size = size_of(p);
  std::string packed;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint64_t n = mine.found[i].size();
    packed.append(reinterpret_cast<const char*>(&n), sizeof n);
    for (const element& e : mine.found[i]) packed += e;
    for (const element& e : mine.stored[i]) packed += e;
  }
  const any_window w = bytes_of(world, packed.size());
  std::copy(packed.begin(), packed.end(), reinterpret_cast<char*>(w.local()));
  world.barrier().or_throw();
  std::vector<trace> all;
  for (int r = 0; world.me().value == 0 && r < world.size(); ++r) {
    const char* at = reinterpret_cast<const char*>(w.shared_query(rank{r}).base);
    trace& t = all.emplace_back();
    for (std::size_t i = 0; i < length; ++i) {
      std::uint64_t n = 0;
      std::memcpy(&n, at, sizeof n);
      at += sizeof n;
      for (auto* const values : {&t.found[i], &t.stored[i]})
        for (std::uint64_t k = 0; k < n; ++k, at += size) values->emplace_back(at, size);
    }
  }
  world.barrier().or_throw();
  return all;
}

class mixed_accumulates {
 public:
  mixed_accumulates(const team& world, std::uint64_t seed)
      : world_(world),
        random_(seed + static_cast<std::uint64_t>(world.me().value)),
        window_(bytes_of(world, world.me().value == 0 ? length * 32 + 1 : 0)) {
    window_.lock_all().or_throw();
  }
  ~mixed_accumulates() { static_cast<void>(window_.unlock_all()); }

  void run(atomic_op op, primitive p, std::size_t shift) {
    const std::vector<element> first = begin(p, shift);
    const trace mine = operate(op, p, shift);
    window_.flush(any_rank).or_throw();
    world_.barrier().or_throw();
    const std::vector<trace> all = gather(world_, p, mine);
    for (std::size_t i = 0; !all.empty() && i < length; ++i) {
      std::vector<element> found{
          normal(p, read_element(p, window_.local() + shift + i * size_of(p)))};
      std::vector<element> stored{first[i]};
      for (const trace& t : all) {
        found.insert(found.end(), t.found[i].begin(), t.found[i].end());
        stored.insert(stored.end(), t.stored[i].begin(), t.stored[i].end());
      }
      std::sort(found.begin(), found.end());
      std::sort(stored.begin(), stored.end());
      EXPECT_EQ(found, stored) << name(op) << " on " << name(p) << ", element " << i << ", shift "
                               << shift;
    }
  }

 private:
  // On rank 0, whose memory it is.
  std::vector<element> begin(primitive p, std::size_t shift) {
    std::vector<element> first;
    for (std::size_t i = 0; i < length && world_.me().value == 0; ++i) {
      const element e = some_element(p, random_, true);
      std::copy(e.begin(), e.end(),
                reinterpret_cast<char*>(window_.local() + shift + i * size_of(p)));
      first.push_back(normal(p, e));
    }
    window_.sync().or_throw();
    world_.barrier().or_throw();
    return first;
  }

  trace operate(atomic_op op, primitive p, std::size_t shift) {
    const std::size_t size = size_of(p);
    trace t;
    std::vector<std::byte> before(length * size);
    for (int i = 0; i < rounds; ++i) {
      const bool many = random_() % 2 == 0;
      const std::size_t n = many ? length - random_() % 4 : 1;
      const std::size_t at = random_() % (length - n + 1);
      std::string operands;
      std::vector<element> each;
      for (std::size_t k = 0; k < n; ++k) {
        each.push_back(some_element(p, random_, op == atomic_op::prod));
        operands += each.back();
      }
      const disp there{shift + at * size};
      if (many)
        window_.get_accumulate(op, p, rank{0}, there, operands.data(), before.data(), n).or_throw();
      else
        window_.fetch_op(op, p, rank{0}, there, operands.data(), before.data()).or_throw();
      for (std::size_t k = 0; k < n; ++k) t.note(op, p, at + k, before.data() + k * size, each[k]);
    }
    return t;
  }

  team world_;
  std::mt19937_64 random_;
  any_window window_;
};

std::uint64_t agreed_seed() {
  std::uint64_t mine = me() == 0 ? seed() : 0;
  world().broadcast(mine, rank{0}).or_throw();
  if (me() == 0) std::printf("ORIEL_TEST_SEED=%llu\n", static_cast<unsigned long long>(mine));
  return mine;
}

TEST(LongAccumulate, BalancesWithSingleAtomicsForEveryOperationAndType) {
  if (spans_nodes()) GTEST_SKIP() << "reads the traces of the ranks by loads";
  mixed_accumulates all(world(), agreed_seed());
  for (int i = 1; i < primitive_count; ++i) {
    const auto p = static_cast<primitive>(i);
    for (const atomic_op op : all_atomic_ops)
      if (defined(op, p))
        for (const std::size_t shift : {0, 1}) all.run(op, p, shift);
  }
}

// The same elements by instructions that are inlined, by runs and by layouts of every second one.
TEST(LongAccumulate, AndInlinedAtomicsAndLayoutsAreExact) {
  constexpr auto promise =
      assertion::shared_lock | assertion::multi_element | assertion::user_datatype;
  constexpr std::size_t n = 1024;
  constexpr int each = 2000;
  auto w = window<std::uint64_t, promise>::allocate(world(), n);
  auto epoch = w.lock_all();
  const std::vector<std::uint64_t> ones(n, 1);
  const shape dense{datatype::of<std::uint64_t>(), n / 2};
  const shape every_second{datatype::vector(n / 2, 1, 2, datatype::of<std::uint64_t>()), 1};
  const rank to{ranks() - 1};
  for (int i = 0; i < each; ++i) {
    w.accumulate<atomic_op::sum>(to, disp{static_cast<std::uint64_t>(i) % n}, 1).or_throw();
    static_cast<void>(w.fetch_op<atomic_op::sum>(to, disp{7}, 1));
    std::uint64_t now = w.get(to, disp{9});
    for (std::uint64_t found = now; (found = w.compare_swap(to, disp{9}, now, now + 1)) != now;)
      now = found;
    if (i % 20 == 0) w.accumulate(atomic_op::sum, to, disp{0}, std::span(ones)).or_throw();
    if (i % 20 == 10)
      w.accumulate(atomic_op::sum, to, disp{0}, ones.data(), dense, every_second).or_throw();
  }
  w.flush_all().or_throw();
  world().barrier().or_throw();
  std::uint64_t wrong = 0;
  const auto p = static_cast<std::uint64_t>(ranks());
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t singles = each / n + (i < each % n ? 1 : 0) + (i == 7 || i == 9 ? each : 0);
    const std::uint64_t longs = each / 20 * (i % 2 == 0 ? 2 : 1);
    if (w.get(to, disp{i}) != p * (singles + longs)) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
  world().barrier().or_throw();
}

// Atomic among all accumulates of the window, whichever of its ranks they name.
TEST(LongAccumulate, AndSinglesAreExactWhereRanksExposeOneMemory) {
  if (spans_nodes()) GTEST_SKIP() << "the memory is one node's";
  constexpr std::size_t n = 2048;
  auto shared =
      window<std::uint64_t, assertion::remote_load_store>::allocate(world(), me() == 0 ? n : 0);
  const auto all = shared.shared_query(rank{0}).span();
  auto w = window<std::uint64_t, assertion::shared_lock | assertion::multi_element>::create(world(),
                                                                                            all);
  auto epoch = w.lock_all();
  const std::vector<std::uint64_t> ones(n, 1);
  auto done = window<int, assertion::shared_lock>::allocate(world(), 1);
  auto counting = done.lock_all();
  // A clash of the two is rare: a single one would have to fall between a load and its store.
  constexpr std::uint64_t singles = 12'000'000;
  const auto others = static_cast<std::uint64_t>(ranks() - 1);
  std::uint64_t longs = 0;
  if (me() == 0)
    for (; done.get(rank{0}, disp{0}) != ranks() - 1; ++longs)
      w.accumulate(atomic_op::sum, rank{0}, disp{0}, std::span(ones)).or_throw();
  else
    for (std::uint64_t i = 0; i < singles / others; ++i)
      w.add(rank{me()}, disp{i % n}, 1).or_throw();
  w.flush_all().or_throw();
  if (me() != 0) static_cast<void>(done.fetch_add(rank{0}, disp{0}, 1));
  world().barrier().or_throw();
  if (me() == 0) {
    const std::uint64_t sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    EXPECT_EQ(sum, longs * n + (others == 0 ? 0 : singles / others * others));
  }
  world().barrier().or_throw();
}

// Long ones take turns within one call, too.
TEST(LongAccumulate, OfLayoutsOfManyPiecesAreExact) {
  constexpr std::size_t n = 40'000;
  auto w = window<std::uint64_t, assertion::shared_lock | assertion::multi_element |
                                     assertion::user_datatype>::allocate(world(), n);
  auto epoch = w.lock_all();
  const std::vector<std::uint64_t> ones(n, 1);
  std::vector<std::uint64_t> before(n);
  const auto number = datatype::of<std::uint64_t>();
  const std::array layouts{shape{datatype::vector(n / 2, 1, 2, number), 1},
                           shape{datatype::vector(n / 100, 50, 100, number), 1},
                           shape{datatype::vector(2, n / 4, n / 2, number), 1}};
  constexpr int rounds = 20;
  for (int i = 0; i < rounds; ++i)
    for (const shape& each : layouts) {
      const shape dense{number, n / 2};
      w.accumulate(atomic_op::sum, rank{0}, disp{0}, ones.data(), dense, each).or_throw();
      w.fetch_op<atomic_op::sum>(rank{0}, disp{n - 1}, 1);
    }
  w.flush_all().or_throw();
  world().barrier().or_throw();
  std::size_t wrong = 0;
  const auto times = static_cast<std::uint64_t>(rounds * ranks());
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const int in = (i % 2 == 0) + (i % 100 < 50) + (i % (n / 2) < n / 4);
    if (w.get(rank{0}, disp{i}) != times * static_cast<std::uint64_t>(in)) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(w.get(rank{0}, disp{n - 1}), 3 * times);
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
