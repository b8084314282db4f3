// Windows over memory of devices, with a test driver in the vendor's place (ORIEL_TEST_KIND): what
// is refused, what a query returns, and buffers in device memory. The conformance suite has the
// rest.
#include <unistd.h>

#include <fstream>

#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::multi_element;

TEST(Device, RefusesWhatTheHostCannotDo) {
  for (const assertion a :
       {assertion::local_load_store, assertion::remote_load_store, assertion::node_load_store}) {
    const thrown t =
        catch_error([&] { window<int>::allocate(world(), 10, promise | a, on(device_kind())); });
    EXPECT_EQ(t.code, errc::unsupported_assertion) << t.text;
    EXPECT_NE(t.text.find("assertion::" + std::string(name(a))), std::string::npos) << t.text;
    const bool nodes_first = spans_nodes() && a == assertion::remote_load_store;
    EXPECT_NE(t.text.find(nodes_first ? "several nodes" : "device memory"), std::string::npos)
        << t.text;
  }
  EXPECT_TRUE(world().barrier().ok());
}

TEST(Device, RefusesKindsThatTheSessionDoesNotProvide) {
  const thrown t = catch_error([&] {
    window<int>::allocate(world(), 10, promise, me() == 0 ? on("tape:device") : on(device_kind()));
  });
  EXPECT_EQ(t.code, errc::unsupported_kind) << t.text;
  EXPECT_NE(t.text.find("rank 0"), std::string::npos) << t.text;
  EXPECT_NE(t.text.find(tested_kind()), std::string::npos) << t.text;
}

TEST(Device, QueriesGivePointersForKernels) {
  auto w = window<int>::allocate(world(), static_cast<std::size_t>(me() + 1), promise,
                                 on(device_kind()));
  for (int r = 0; r < ranks(); ++r) {
    const auto s = w.shared_query(rank{r});
    const auto all = w.segments(rank{r});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].count, static_cast<std::uint64_t>(r + 1));
    if (!world().on_node(rank{r})) continue;
    ASSERT_TRUE(s.reachable()) << r;
    EXPECT_EQ(s.count, static_cast<std::uint64_t>(r + 1));
    EXPECT_EQ(all[0].base, s.base);
    EXPECT_EQ(job().kind_of(s.base), device_kind());
    const int mine = 100 + me();
    if (r == me()) {
      ASSERT_TRUE(job().copy(s.base, &mine, sizeof mine).ok());
    }
  }
  EXPECT_TRUE(world().barrier().ok());
  auto epoch = w.lock_all();
  for (int r = 0; r < ranks(); ++r) EXPECT_EQ(w.get(rank{r}, disp{0}), 100 + r);
}

TEST(Device, RanksMayBringDifferentMemory) {
  const auto count = static_cast<std::size_t>(ranks()) + 1;  // one a rank, and one that all update
  const disp last{count - 1};
  std::vector<int> own(count);
  std::span<std::byte> lent;
  std::span<int> memory(own);
  if (me() % 2 == 1) {
    lent = job().alloc_mem(count * sizeof(int), device_kind());
    memory = {reinterpret_cast<int*>(lent.data()), count};
  }
  {
    auto w = window<int>::create(world(), memory, promise);
    auto epoch = w.lock_all();
    for (int r = 0; r < ranks(); ++r)
      w.put(rank{r}, disp{static_cast<unsigned>(me())}, 7 + me()).or_throw();
    EXPECT_TRUE(w.flush_all().ok());
    EXPECT_TRUE(world().barrier().ok());
    for (int r = 0; r < ranks(); ++r)
      for (int o = 0; o < ranks(); ++o)
        EXPECT_EQ(w.get(rank{r}, disp{static_cast<unsigned>(o)}), 7 + o) << w.failure();
    for (int r = 0; r < ranks(); ++r)
      if (r % 2 == 0 || has_kernels()) w.add(rank{r}, last, 1).or_throw();
    EXPECT_TRUE(w.flush_all().ok());
    EXPECT_TRUE(world().barrier().ok());
    for (int r = 0; r < ranks(); ++r)
      if (r % 2 == 0 || has_kernels()) {
        EXPECT_EQ(w.get(rank{r}, last), ranks()) << w.failure();
      }
    EXPECT_EQ(w.failure(), "");
  }
  if (!lent.empty()) {
    EXPECT_TRUE(job().free_mem(lent).ok());
  }
}

// Buffers in device memory, a page of ints each.
class device_buffer {
 public:
  static constexpr std::size_t count = 1024;
  explicit device_buffer(int first) : memory_(job().alloc_mem(count * sizeof(int), device_kind())) {
    std::vector<int> v(count);
    for (std::size_t i = 0; i < count; ++i) v[i] = first + static_cast<int>(i);
    EXPECT_TRUE(job().copy(memory_.data(), v.data(), memory_.size()).ok());
  }
  ~device_buffer() { job().free_mem(memory_).or_throw(); }
  device_buffer(const device_buffer&) = delete;
  [[nodiscard]] int* data() const { return reinterpret_cast<int*>(memory_.data()); }
  [[nodiscard]] std::vector<int> read() const {
    std::vector<int> v(count);
    EXPECT_TRUE(job().copy(v.data(), memory_.data(), memory_.size()).ok());
    return v;
  }

 private:
  std::span<std::byte> memory_;
};

class Buffers : public ::testing::TestWithParam<std::string> {};

// `origin` holds what has been put.
void atomics(any_window& w, const device_buffer& origin, const device_buffer& result) {
  constexpr std::size_t n = device_buffer::count;
  const rank target = world().next();
  const int from = 1000 * me();
  ASSERT_TRUE(w.accumulate(atomic_op::sum, target, disp{0}, origin.data(), n).ok());
  ASSERT_TRUE(w.flush(target).ok());
  ASSERT_TRUE(
      w.get_accumulate(atomic_op::sum, target, disp{0}, origin.data(), result.data(), n).ok());
  ASSERT_TRUE(w.flush(target).ok());
  EXPECT_EQ(result.read()[5], 2 * (from + 5));
  ASSERT_TRUE(w.fetch_op(atomic_op::no_op, target, disp{7}, nullptr, result.data()).ok());
  EXPECT_EQ(result.read()[0], 3 * (from + 7));
  int expected = 3 * (from + 7);
  ASSERT_TRUE(
      w.compare_swap(target, disp{7}, &expected, origin.data() + 1, result.data() + 1).ok());
  EXPECT_EQ(result.read()[1], expected);
  int now = 0;
  ASSERT_TRUE(w.get(target, disp{7}, &now, 1).ok());
  EXPECT_EQ(now, from + 1);
}

TEST_P(Buffers, InDeviceMemoryServeEveryOperation) {
  constexpr std::size_t n = device_buffer::count;
  window_options options = on(GetParam().empty() ? "" : tested_kind() + GetParam());
  const datatype base = datatype::of<int>();
  any_window w = any_window::allocate(
      world(), n, base, promise | assertion::user_datatype | assertion::notify, options);
  const rank target = world().next();
  device_buffer origin(1000 * me()), result(0);
  const int from = 1000 * me();
  ASSERT_TRUE(w.lock_all().ok());
  ASSERT_TRUE(w.put(target, disp{0}, origin.data(), n).ok()) << w.failure();
  ASSERT_TRUE(w.flush(target).ok());
  ASSERT_TRUE(w.get(target, disp{0}, result.data(), n).ok()) << w.failure();
  ASSERT_TRUE(w.flush(target).ok());
  EXPECT_EQ(result.read(), origin.read());

  if (GetParam() != ":device" || has_kernels()) {
    atomics(w, origin, result);
  } else {
    EXPECT_EQ(w.accumulate(atomic_op::sum, target, disp{0}, origin.data(), n).code(), errc::op);
    w.clear_failure();
  }
  ASSERT_TRUE(world().barrier().ok());

  // Every second element, into every third.
  const datatype seconds = datatype::vector(100, 1, 2, base),
                 thirds = datatype::vector(100, 1, 3, base);
  ASSERT_TRUE(w.put(target, disp{0}, origin.data(), {seconds, 1}, {thirds, 1}).ok()) << w.failure();
  ASSERT_TRUE(w.flush(target).ok());
  const int held = result.read()[1];
  ASSERT_TRUE(w.get(target, disp{0}, result.data(), {seconds, 1}, {thirds, 1}).ok());
  ASSERT_TRUE(w.flush(target).ok());
  EXPECT_EQ(result.read()[198], from + 198);
  EXPECT_EQ(result.read()[1], held) << "the gaps keep what they had";

  int now = 0;
  ASSERT_TRUE(w.put_notify(target, disp{0}, origin.data() + 3, 200, 0).ok()) << w.failure();
  ASSERT_TRUE(w.wait_notify(0, 1).ok());
  ASSERT_TRUE(w.get(world().me(), disp{0}, &now, 1).ok());
  EXPECT_EQ(now, 1000 * world().previous().value + 3);
  ASSERT_TRUE(world().barrier().ok());
  request r = w.rput(target, disp{0}, origin.data(), n, call_site::here());
  EXPECT_TRUE(r.wait().ok());
  EXPECT_TRUE(w.rget(target, disp{0}, result.data(), n, call_site::here()).wait().ok());
  EXPECT_EQ(result.read(), origin.read());
  ASSERT_TRUE(w.unlock_all().ok()) << w.failure();
  EXPECT_EQ(w.failure(), "");
  EXPECT_TRUE(world().barrier().ok());
}

// Longer than what goes between nodes at once, and no multiple of it.
TEST_P(Buffers, MayBeLong) {
  constexpr std::size_t n = 700'001;
  const std::size_t bytes = n * sizeof(int);
  any_window w = any_window::allocate(world(), n, datatype::of<int>(), promise,
                                      on(GetParam().empty() ? "" : tested_kind() + GetParam()));
  const auto sent = job().alloc_mem(bytes, device_kind()),
             got = job().alloc_mem(bytes, device_kind());
  std::vector<int> row(n), back(n);
  for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<int>(i) * (me() + 1);
  ASSERT_TRUE(job().copy(sent.data(), row.data(), bytes).ok());
  ASSERT_TRUE(w.lock_all().ok());
  ASSERT_TRUE(w.put(world().next(), disp{0}, sent.data(), n).ok()) << w.failure();
  ASSERT_TRUE(w.flush(world().next()).ok());
  ASSERT_TRUE(w.get(world().next(), disp{0}, got.data(), n).ok()) << w.failure();
  ASSERT_TRUE(w.unlock_all().ok());
  ASSERT_TRUE(job().copy(back.data(), got.data(), bytes).ok());
  EXPECT_EQ(back, row);
  EXPECT_TRUE(world().barrier().ok());
  EXPECT_TRUE(w.free().ok());
  EXPECT_TRUE(job().free_mem(sent).ok());
  EXPECT_TRUE(job().free_mem(got).ok());
}

INSTANTIATE_TEST_SUITE_P(On, Buffers, ::testing::Values("", ":device", ":host"));

// The typed face of a static window takes its fast path only where the processor may.
TEST(Device, StaticWindowsTakeBuffersInDeviceMemory) {
  constexpr auto all = promise | assertion::remote_load_store;
  if (spans_nodes()) GTEST_SKIP() << "the window promises remote_load_store";
  auto w = window<int, all>::allocate(world(), device_buffer::count);
  device_buffer origin(31 * me()), result(0);
  auto epoch = w.lock_all();
  ASSERT_TRUE(
      w.put(world().next(), disp{0}, std::span<const int>(origin.data(), origin.count)).ok());
  ASSERT_TRUE(w.flush(world().next()).ok());
  ASSERT_TRUE(w.get(world().next(), disp{0}, std::span<int>(result.data(), result.count)).ok());
  EXPECT_EQ(result.read(), origin.read());
}

// The driver's calls of this process so far.
std::size_t driver_calls() {
  const char* const prefix = std::getenv("ORIEL_TEST_LEDGER");
  std::ifstream ledger((prefix == nullptr ? "" : prefix) + ("." + std::to_string(getpid())));
  std::size_t lines = 0;
  for (std::string line; std::getline(ledger, line);) ++lines;
  return lines;
}

TEST(Device, AssertedKindsSaveTheQuestionsAboutBuffers) {
  const auto calls_of_puts = [](const window_options& options) {
    auto w = window<int>::allocate(world(), 100, promise, options);
    const std::vector<int> row(100, me());
    auto epoch = w.lock_all();
    const std::size_t before = driver_calls();
    for (int i = 0; i < 50; ++i)
      w.put(world().next(), disp{0}, std::span<const int>(row)).or_throw();
    EXPECT_TRUE(w.flush_all().ok());
    return driver_calls() - before;
  };
  if (spans_nodes()) GTEST_SKIP() << "between nodes the agent's calls are counted with them";
  EXPECT_GT(driver_calls(), 0u) << "started without oriel-check-ledger";
  window_options asserted;
  asserted.hints.set("mpi_assert_memory_alloc_kinds", "mpi,system");
  EXPECT_EQ(calls_of_puts(asserted), 0u);
  EXPECT_GT(calls_of_puts({}), 0u);
}

TEST(Device, ExplainSaysHow) {
  auto w = window<int>::allocate(world(), 10, promise, on(device_kind()));
  const std::string text = w.explain();
  EXPECT_NE(text.find("kind " + device_kind()), std::string::npos) << text;
  EXPECT_NE(text.find("atomics:          device"), std::string::npos) << text;
  if (job().node().size() > 1) {
    EXPECT_NE(text.find("ipc to rank"), std::string::npos) << text;
  }
  if (spans_nodes()) {
    EXPECT_NE(text.find("registration:"), std::string::npos) << text;
  }
}

TEST(Device, ExplainNamesTheMemoryThatThereIs) {
  const auto said = [](std::size_t count, const window_options& options) {
    return window<int>::allocate(world(), count, promise, options).explain();
  };
  for (const made how : {made::device, made::managed, made::pinned}) {
    const std::string text = said(10, on(kind_of(how)));
    EXPECT_NE(text.find("10 elements here, kind " + kind_of(how)), std::string::npos) << text;
  }
  EXPECT_NE(said(10, {}).find("10 elements here, kind mpi:win_allocate"), std::string::npos);
  EXPECT_EQ(said(0, on(device_kind())).find("here, kind"), std::string::npos);
}

}  // namespace
}  // namespace oriel::testing
