// hash_map in memory of devices (ORIEL_TEST_KIND, with a test driver in the vendor's place): spans
// in such memory, what kernels get, and what is refused. map_test.cpp has the rest.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "oriel/hash_map.cuh"
#include "oriel/hash_map.hpp"
#include "tests/drivers/ledger_reader.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using word = std::uint64_t;
using map_type = hash_map<word, word>;

std::string tested_kind(const char* restrictor) {
  const char* const kind = std::getenv("ORIEL_TEST_KIND");
  return kind == nullptr ? "" : kind + std::string(restrictor);
}
hash_map_options on(const std::string& kind) {
  hash_map_options o;
  o.name = "table";
  o.memory_kind = kind;
  return o;
}

// `body` as a kernel of this process's devices; on memory of the host, as it is.
template <class Body>
void as_kernel(const std::string& kind, Body body) {
  if (kind.empty()) return body();
  using runner = void (*)(void (*)(void*), void*);
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(driver, nullptr);
  const auto run = reinterpret_cast<runner>(dlsym(driver, "oriel_test_run_kernel"));
  dlclose(driver);
  ASSERT_NE(run, nullptr);
  run([](void* b) { (*static_cast<Body*>(b))(); }, &body);
}

// A copy in device memory.
template <class T>
class device_span {
 public:
  explicit device_span(std::span<const T> from)
      : memory_(job().alloc_mem(from.size_bytes(), tested_kind(":device"))) {
    EXPECT_TRUE(job().copy(memory_.data(), from.data(), from.size_bytes()).ok());
  }
  ~device_span() { EXPECT_TRUE(job().free_mem(memory_).ok()); }
  device_span(const device_span&) = delete;
  [[nodiscard]] std::span<T> get() const {
    return {reinterpret_cast<T*>(memory_.data()), memory_.size() / sizeof(T)};
  }
  [[nodiscard]] std::vector<char> bytes() const {
    std::vector<char> v(memory_.size());
    EXPECT_TRUE(job().copy(v.data(), memory_.data(), v.size()).ok());
    return v;
  }
  [[nodiscard]] T operator[](std::size_t i) const {
    T value;
    EXPECT_TRUE(job().copy(&value, get().data() + i, sizeof value).ok());
    return value;
  }

 private:
  std::span<std::byte> memory_;
};

constexpr std::size_t many = 100;
std::vector<word> from(word first, std::size_t n = many) {
  std::vector<word> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

TEST(HashMapDevice, SpansLieInAnyMemory) {
  for (const std::string& kind : {std::string(), tested_kind(":device")}) {
    map_type map(world(), 1000 * static_cast<word>(ranks()), on(kind));
    const word mine = static_cast<word>(me()) * many;
    const device_span<word> keys(from(mine)), values(from(mine + 7)), ones(from(1));
    const std::array<bool, many> unset{};
    const device_span<bool> flags(unset);
    {
      auto p = map.insert_only();
      EXPECT_EQ(p.insert(keys.get(), values.get(), flags.get()).count, many) << map.failure();
      EXPECT_EQ(flags.bytes(), std::vector<char>(many, 1));
    }
    {
      auto p = map.mixed();
      const device_span<word> before(from(0));
      EXPECT_EQ(p.fetch_add(keys.get(), ones.get(), before.get()).count, 0u);
      EXPECT_EQ(before[5], mine + 12);
      EXPECT_EQ(p.erase(keys.get().first(10), flags.get().first(10)).count, 10u);
      EXPECT_EQ(p.insert_or_assign(keys.get().subspan(10), from(0, many - 10), {}).count, 0u);
    }
    auto p = map.find_only();
    const device_span<word> got(std::vector<word>(many, 99'999));
    EXPECT_EQ(p.find(keys.get(), got.get(), flags.get()).count, many - 10) << map.failure();
    EXPECT_EQ(got[9], 99'999u) << "an absent key's value stays";
    EXPECT_EQ(got[50], 40u);
    std::vector<char> expected(many, 1);
    std::fill_n(expected.begin(), 10, 0);
    EXPECT_EQ(flags.bytes(), expected);
    EXPECT_EQ(p.find(keys.get(), got.get().first(3)).outcome.code(), errc::count);
  }
}

// Kernels and hosts of all ranks work on one table, in one phase.
void expect_one_table(const std::string& kind) {
  map_type map(world(), 1000 * static_cast<word>(ranks()), on(kind));
  const auto count = static_cast<word>(ranks());
  {
    auto p = map.insert_only();
    const auto table = p.ref();
    as_kernel(kind, [&] {
      word before = 0;
      for (word k = 0; k < many; ++k)
        EXPECT_LE(table.fetch_add(k, 1, before), slot_answer::present);
    });
    const std::vector<word> ones(many, 1);
    EXPECT_TRUE(p.fetch_add(from(0), ones).outcome.ok()) << map.failure();
  }
  EXPECT_EQ(map.size(), many);
  word sum = 0;
  map.for_each_local([&sum](word, word v) { sum += v; });
  EXPECT_EQ(world().allreduce(sum, atomic_op::sum), 2 * many * count);
  {
    auto p = map.find_only();
    const auto table = map.template ref<phase_kind::find_only>();
    as_kernel(kind, [&] {
      for (word k = 0; k < 2 * many; ++k) {
        word value = 0;
        const bool found = table.find(k, value) == slot_answer::present;
        EXPECT_EQ(found, k < many);
        EXPECT_EQ(value, found ? 2 * count : 0);
      }
    });
    EXPECT_EQ(p.find(3), 2 * count);
  }
  auto p = map.mixed();
  const auto table = p.ref();
  const word mine = 1000 + static_cast<word>(me());
  as_kernel(kind, [&] {
    EXPECT_EQ(table.insert(mine, 5), slot_answer::absent);
    EXPECT_EQ(table.erase(static_cast<word>(me())), slot_answer::present);
  });
  EXPECT_EQ(p.find(mine), word{5});
  EXPECT_EQ(p.erase(static_cast<word>(me())).count, 0u);
  EXPECT_EQ(p.end().code(), errc::success);
  EXPECT_EQ(catch_error([&] { static_cast<void>(p.ref()); }).code, errc::rma_sync);
}

// What the test driver's links lack.
bool refuses(const char* atomics) {
  const char* const given = std::getenv("ORIEL_TEST_REFUSE");
  return given != nullptr && std::string(given).find(atomics) != std::string::npos;
}

// Kernels find, and write nothing where the host and others do.
TEST(HashMapDevice, KernelsWriteNoPartsOverLinksWithoutAtomics) {
  if (spans_nodes()) GTEST_SKIP() << "kernels do not reach other nodes";
  for (const char* restrictor : {":device", ":host"}) {
    const bool on_host = restrictor == std::string(":host");
    const std::string kind = tested_kind(restrictor);
    map_type map(world(), 1000 * static_cast<word>(ranks()), on(kind));
    const auto expect_refusal = [&](auto ref) {
      const thrown t = catch_error(ref);
      EXPECT_EQ(t.code, refuses(on_host ? "host_atomics" : "peer_atomics") ? errc::rma_shared
                                                                           : errc::success);
      if (t.code == errc::success) return;
      EXPECT_NE(t.text.find("native atomics"), std::string::npos) << t.text;
      EXPECT_NE(t.text.find(on_host ? "to the host" : "to device"), std::string::npos) << t.text;
    };
    {
      auto p = map.insert_only();
      expect_refusal([&] { static_cast<void>(p.ref()); });
      const std::vector<word> ones(many, 1);
      EXPECT_TRUE(p.fetch_add(from(0), ones).outcome.ok()) << map.failure();
    }
    {
      auto p = map.mixed();
      expect_refusal([&] { static_cast<void>(p.ref()); });
      EXPECT_TRUE(p.insert_or_assign(1000 + static_cast<word>(me()), 3).outcome.ok());
    }
    auto p = map.find_only();
    const auto table = p.ref();
    as_kernel(kind, [&] {
      word value = 0;
      EXPECT_EQ(table.find(7, value), slot_answer::present);
      EXPECT_EQ(value, static_cast<word>(ranks()));
    });
    EXPECT_EQ(p.find(1000), word{3});
  }
}

TEST(HashMapDevice, KernelsAndHostsWorkOnOneTable) {
  if (spans_nodes()) GTEST_SKIP() << "kernels do not reach other nodes";
  if (refuses("_atomics")) GTEST_SKIP() << "kernels write no parts of others";
  for (const char* restrictor : {":device", ":host"}) expect_one_table(tested_kind(restrictor));
  expect_one_table("");
}

TEST(HashMapDevice, RefNamesTheRanksThatKernelsDoNotReach) {
  if (!spans_nodes()) GTEST_SKIP() << "all ranks are within reach";
  for (const std::string& kind : {std::string(), tested_kind(":device")}) {
    map_type map(world(), 100, on(kind));
    auto p = map.find_only();
    std::string others;
    for (int r = 0; r < ranks(); ++r)
      if (!world().on_node(rank{r})) others += (others.empty() ? "" : ", ") + std::to_string(r);
    const thrown t = catch_error([&] { static_cast<void>(p.ref()); });
    EXPECT_EQ(t.code, errc::rma_shared);
    EXPECT_NE(t.text.find("ranks " + others + ":"), std::string::npos) << t.text;
    EXPECT_NE(t.text.find("hash_map 'table'"), std::string::npos) << t.text;
  }
}

// Memory that moves is no other process's to map: the window's operations reach it.
TEST(HashMapDevice, TablesLieInManagedAndPinnedMemory) {
  for (const char* restrictor : {":managed", ":host"}) {
    map_type map(world(), 1000, on(tested_kind(restrictor)));
    {
      auto p = map.insert_only();
      const std::vector<word> ones(many, 1);
      EXPECT_TRUE(p.fetch_add(from(0), ones).outcome.ok()) << map.failure();
    }
    EXPECT_EQ(map.size(), many);
    auto p = map.find_only();
    EXPECT_EQ(p.find(4), static_cast<word>(ranks()));
    EXPECT_EQ(p.find(many), std::nullopt);
  }
}

// One rank's device has no memory for the new part: all ranks keep the old table.
TEST(HashMapDevice, RehashWithoutMemoryOnOneRankChangesNothingOnAny) {
  map_type map(world(), 100, on(tested_kind(":device")));
  {
    auto p = map.insert_only();
    EXPECT_TRUE(p.insert(static_cast<word>(me()), 7).outcome.ok()) << map.failure();
  }
  const word slots = map.slots_per_rank();
  thrown t;
  {
    const scoped_variable fails(me() == ranks() - 1 ? "ORIEL_TEST_FAIL" : "ORIEL_TEST_NOTHING",
                                "cuMemAlloc_v2:*");
    t = catch_error([&] { map.rehash(100'000); });
  }
  EXPECT_EQ(t.code, errc::no_mem) << t.text;
  EXPECT_EQ(map.slots_per_rank(), slots);
  map.rehash(1000);
  EXPECT_EQ(map.size(), static_cast<word>(ranks()));
  auto p = map.find_only();
  EXPECT_EQ(p.find(static_cast<word>(me())), word{7});
}

// Zeros do not travel to the device, which has its own.
TEST(HashMapDevice, IsClearedByTheDevice) {
  map_type map(world(), 20'000, on(tested_kind(":device")));
  const auto row = from(static_cast<word>(me()) * many);
  {
    auto p = map.insert_only();
    EXPECT_EQ(p.insert(row, row, {}).count, many) << map.failure();
  }
  const auto made = [](const char* call) {
    return test_driver::calls(test_driver::read_ledgers(std::getenv("ORIEL_TEST_LEDGER")), call);
  };
  ASSERT_TRUE(world().barrier().ok());
  const std::size_t copies = made("cuMemcpyAsync"), fills = made("cuMemsetD8Async");
  ASSERT_TRUE(world().barrier().ok());
  map.clear();
  EXPECT_EQ(made("cuMemcpyAsync"), copies);
  EXPECT_EQ(made("cuMemsetD8Async"), fills + static_cast<std::size_t>(ranks()));
  ASSERT_TRUE(world().barrier().ok());  // what follows copies
  EXPECT_EQ(map.size(), 0u);
  auto p = map.find_only();
  EXPECT_FALSE(p.find(row.front()).has_value());
}

TEST(HashMapDevice, AFailedClearIsToldToAll) {
  map_type map(world(), 100, on(tested_kind(":device")));
  {
    const scoped_variable fails(me() == ranks() - 1 ? "ORIEL_TEST_FAIL" : "ORIEL_TEST_NOTHING",
                                "cuMemsetD8Async:*");
    const thrown t = catch_error([&] { map.clear(); });
    EXPECT_EQ(t.code, errc::system) << t.text;
    EXPECT_NE(t.text.find("hash_map 'table'"), std::string::npos) << t.text;
  }
  map.clear();
  EXPECT_EQ(map.size(), 0u);
}

TEST(HashMapDevice, KindsThatTheSessionLacksAreRefused) {
  const thrown t = catch_error([] { map_type(world(), 100, on("rocm:nonsense")); });
  EXPECT_EQ(t.code, errc::unsupported_kind) << t.text;
}

// Where kernels do no atomics there is no table, and every rank says so.
TEST(HashMapWithoutAtomics, IsRefusedAtConstruction) {
  const std::string kind = tested_kind(":device");
  const thrown t = catch_error([&] { map_type(world(), 100, on(kind)); });
  EXPECT_EQ(t.code, errc::unsupported_kind) << t.text;
  for (const std::string& part : {std::string("hash_map 'table'"), std::string("atomics"),
                                  std::string("rank 0"), "kind '" + kind + "'"})
    EXPECT_NE(t.text.find(part), std::string::npos) << t.text;
  EXPECT_TRUE(world().barrier().ok());
  map_type map(world(), 100);
  EXPECT_EQ(map.size(), 0u);
}

}  // namespace
}  // namespace oriel::testing
