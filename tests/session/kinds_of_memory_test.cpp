// What a session allocates, names and copies, by kind. ORIEL_TEST_KIND names the device kind that a
// test driver provides; without it the tests of devices are skipped.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "kinds/classify.hpp"
#include "kinds/device_kind.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

session opened(const std::string& kinds) {
  session_options o;
  o.hints.set("mpi_memory_alloc_kinds", kinds);
  return session(o);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool all_zero(session& job, std::span<const std::byte> memory) {
  std::vector<std::byte> seen(memory.size(), std::byte{1});
  EXPECT_TRUE(job.copy(seen.data(), memory.data(), memory.size()).ok());
  return std::all_of(seen.begin(), seen.end(), [](std::byte b) { return b == std::byte{0}; });
}

// First of all, while no session of this process has requested more; a driver may be on the path.
TEST(Session, OfMpiAndSystemLoadsNoVendorsLibrary) {
  session job;
  EXPECT_EQ(job.hints().get("mpi_memory_alloc_kinds"), "mpi,system");
  auto w = window<int>::allocate(job.world(), 10, assertion::fence);
  std::array<int, 2> pair{1, 2};
  EXPECT_TRUE(job.copy(&pair[0], &pair[1], sizeof(int)).ok());
  EXPECT_EQ(job.kind_of(pair.data()), "system");
  EXPECT_FALSE(kinds::any_runtime_loaded());
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  ASSERT_TRUE(contains(mapped, "libc.so"));
  for (const char* library : {"libcuda", "libamdhip", "libze_loader"})
    EXPECT_FALSE(contains(mapped, library)) << library;
}

TEST(AllocMem, GivesMemoryOfTheSystem) {
  session job;
  const auto memory = job.alloc_mem(1000, "system", {{"mpi_minimum_memory_alignment", "8192"}});
  EXPECT_EQ(memory.size(), 1000u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 8192, 0u);
  EXPECT_EQ(job.kind_of(memory.data()), "system");
  EXPECT_TRUE(all_zero(job, memory));
  memory[999] = std::byte{1};
  EXPECT_EQ(job.free_mem(memory.subspan(8)).code(), errc::base);
  EXPECT_TRUE(job.free_mem(memory).ok());
  EXPECT_EQ(job.free_mem(memory).code(), errc::base);
  EXPECT_TRUE(job.alloc_mem(0, "system").empty());
  for (const std::size_t bytes : {std::size_t{1} << 55, ~std::size_t{0}, ~std::size_t{0} - 70})
    EXPECT_EQ(catch_error([&] { (void)job.alloc_mem(bytes, "system"); }).code, errc::no_mem);
}

// Bytes of shared memory that this process has touched.
std::size_t touched() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssShmem:")) return std::stoul(line.substr(9)) * 1024;
  throw std::runtime_error("/proc/self/status has no line RssShmem");
}

// Programs allocate much and use little of it, so pages are made when they are touched.
TEST(AllocMem, MakesPagesWhenTheyAreTouched) {
  constexpr std::size_t bytes = 256u << 20;
  session job;
  const std::size_t before = touched();
  const auto memory = job.alloc_mem(bytes);
  EXPECT_LT(touched(), before + bytes / 16);
  std::memset(memory.data(), 1, bytes / 2);
  EXPECT_GE(touched(), before + bytes / 2);
  EXPECT_EQ(memory[bytes - 1], std::byte{0});
  EXPECT_TRUE(job.free_mem(memory).ok());
  EXPECT_LT(touched(), before + bytes / 16);
  EXPECT_EQ(catch_error([&] { (void)job.alloc_mem(std::size_t{1} << 46); }).code, errc::no_mem);
}

TEST(AllocMem, GivesMemoryOfMpi) {
  session job;
  for (const char* kind : {"mpi", "mpi:alloc_mem"}) {
    const auto memory = job.alloc_mem(100, kind);
    EXPECT_EQ(job.kind_of(memory.data()), "mpi:alloc_mem");
    EXPECT_EQ(job.kind_of(&memory[99]), "mpi:alloc_mem");
    EXPECT_TRUE(job.free_mem(memory).ok());
  }
  auto w = window<int, assertion::local_load_store | assertion::fence>::allocate(job.world(), 10);
  EXPECT_EQ(job.kind_of(&w.local()[3]), "mpi:win_allocate");
  int here = 0;
  EXPECT_EQ(job.kind_of(&here), "system");
}

TEST(AllocMem, SaysWhyAKindIsNotProvided) {
  const scoped_variable launcher("ORIEL_MEMORY_ALLOC_KINDS", "system");
  session job;
  const auto why = [&job](const char* kind) {
    const thrown t = catch_error([&] { (void)job.alloc_mem(8, kind); });
    EXPECT_EQ(t.code, errc::unsupported_kind) << kind;
    return t.text;
  };
  EXPECT_TRUE(contains(why("cuda:device"), "only 'system': it was not requested"));
  EXPECT_TRUE(contains(why("mpi"), "no 'mpi:alloc_mem', only 'system'"));
  EXPECT_TRUE(contains(why("telepathy"), "was not requested"));
}

TEST(AllocMem, RefusesNamesOfNoOneSort) {
  session job;
  const auto refused = [&job](const char* kind) {
    return catch_error([&] { (void)job.alloc_mem(8, kind); });
  };
  EXPECT_EQ(refused("mpi:win_allocate").code, errc::arg);
  EXPECT_EQ(refused("cuda").code, errc::arg);
  EXPECT_TRUE(contains(refused("level_zero").text,
                       "valid: level_zero:host, level_zero:device, level_zero:shared"));
  EXPECT_EQ(refused("cuda:host:device").code, errc::arg);
  EXPECT_EQ(refused("cuda:shared").code, errc::arg);
  EXPECT_EQ(refused("system:huge").code, errc::arg);
  EXPECT_EQ(refused("two words").code, errc::info);
  EXPECT_EQ(refused("").code, errc::info);
}

TEST(Copy, MovesMemoryOfTheHost) {
  session job;
  std::vector<int> from(1001), to(1001);
  std::iota(from.begin(), from.end(), 1);
  EXPECT_TRUE(job.copy(to.data(), from.data(), from.size() * sizeof(int)).ok());
  EXPECT_EQ(to, from);
  EXPECT_TRUE(job.copy(nullptr, nullptr, 0).ok());
}

// With a test driver.
class DeviceKind : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const kind = std::getenv("ORIEL_TEST_KIND");
    if (kind == nullptr) GTEST_SKIP() << "ORIEL_TEST_KIND names no kind";
    vendor_ = *kinds::vendor_named(kind);
    for (const kinds::residence r : kinds::all_residences)
      (requests_ += ',') += kinds::kind_text(vendor_, r);
  }
  session open() { return opened("mpi,system" + requests_); }
  std::string of(kinds::residence r) { return kinds::kind_text(vendor_, r); }

  kinds::vendor vendor_{};
  std::string requests_;
};

TEST_F(DeviceKind, IsProvidedAsItWasRequested) {
  session job = open();
  EXPECT_EQ(job.hints().get("mpi_memory_alloc_kinds"), "mpi,system" + requests_);
}

TEST_F(DeviceKind, MemoryIsNamedZeroedAlignedAndFreed) {
  session job = open();
  for (const kinds::residence r : kinds::all_residences) {
    SCOPED_TRACE(of(r));
    const auto memory = job.alloc_mem(5000, of(r), {{"mpi_minimum_memory_alignment", "65536"}});
    EXPECT_EQ(memory.size(), 5000u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 65536, 0u);
    EXPECT_EQ(job.kind_of(memory.data()), of(r));
    EXPECT_EQ(job.kind_of(memory.data() + 4999), of(r));
    EXPECT_TRUE(all_zero(job, memory));
    if (r != kinds::residence::device) memory[77] = std::byte{7};  // the host's to touch
    EXPECT_EQ(job.free_mem(memory.subspan(1)).code(), errc::base);
    EXPECT_TRUE(job.free_mem(memory).ok());
    EXPECT_EQ(job.free_mem(memory).code(), errc::base);
    EXPECT_EQ(job.kind_of(memory.data()), "system") << "it is nobody's";
    EXPECT_TRUE(job.alloc_mem(0, of(r)).empty());
  }
}

TEST_F(DeviceKind, CopiesReachEveryKindFromEveryOther) {
  session job = open();
  constexpr std::size_t bytes = 100'003;
  std::vector<std::byte> pattern(bytes), seen(bytes);
  for (std::size_t i = 0; i < bytes; ++i) pattern[i] = static_cast<std::byte>(i * 7 % 251);
  std::vector<std::string> every{"system", "mpi"};
  for (const kinds::residence r : kinds::all_residences) every.push_back(of(r));
  for (const std::string& from_kind : every)
    for (const std::string& to_kind : every) {
      SCOPED_TRACE(from_kind + " to " + to_kind);
      const auto from = job.alloc_mem(bytes, from_kind);
      const auto to = job.alloc_mem(bytes + 2, to_kind);
      ASSERT_TRUE(job.copy(from.data(), pattern.data(), bytes).ok());
      ASSERT_TRUE(job.copy(to.data() + 1, from.data(), bytes).ok());
      ASSERT_TRUE(job.copy(seen.data(), to.data() + 1, bytes).ok());
      EXPECT_TRUE(seen == pattern);
      EXPECT_TRUE(all_zero(job, to.first(1)));
      EXPECT_TRUE(all_zero(job, to.last(1)));
      job.free_mem(from).or_throw();
      job.free_mem(to).or_throw();
    }
}

TEST_F(DeviceKind, MemoryLiesOnTheDeviceThatIsNamed) {
  session job = open();
  kinds::device_runtime& runtime = *kinds::runtime(vendor_);
  ASSERT_GT(runtime.devices(), 1) << "the test driver has several";
  const std::string kind = of(kinds::residence::device);
  const auto device_of = [&](const info& hints) {
    const auto memory = job.alloc_mem(64, kind, hints);
    const int device = kinds::classify(memory.data())->device;
    job.free_mem(memory).or_throw();
    return device;
  };
  for (int d = 0; d < runtime.devices(); ++d)
    EXPECT_EQ(device_of({{"oriel_device", std::to_string(d)}}), d);
  EXPECT_EQ(device_of({{"oriel_device", "in_turn"}}), job.world().me().value % runtime.devices());
  // This thread has chosen none, so ranks take turns; HIP does not tell that it has not.
  if (!runtime.current_device()) {
    EXPECT_EQ(device_of({}), job.world().me().value % runtime.devices());
  }
  for (const char* bad : {"-1", "2x", "", "99", "turn"}) {
    const thrown t = catch_error([&] { (void)device_of({{"oriel_device", bad}}); });
    EXPECT_EQ(t.code, errc::info) << bad;
    EXPECT_TRUE(
        contains(t.text, "valid: in_turn, and 0 to " + std::to_string(runtime.devices() - 1)));
  }
}

TEST_F(DeviceKind, MemoryThatIsNotThereIsAnError) {
  session job = open();
  const scoped_variable little("ORIEL_TEST_MEMORY", "4194304");
  const std::string kind = of(kinds::residence::device);
  EXPECT_EQ(catch_error([&] { (void)job.alloc_mem(8 << 20, kind); }).code, errc::no_mem);
  EXPECT_EQ(catch_error([&] { (void)job.alloc_mem(~std::size_t{0} - 64, kind); }).code,
            errc::no_mem);
  const auto memory = job.alloc_mem(1 << 20, kind);  // and nothing was lost
  EXPECT_TRUE(job.free_mem(memory).ok());
}

// The ledger, which this test runs under, has a FAULT when a session leaves memory behind.
TEST_F(DeviceKind, WhatIsNotFreedGoesWithTheSession) {
  std::vector<std::byte*> left;
  {
    session job = open();
    for (const kinds::residence r : kinds::all_residences)
      left.push_back(job.alloc_mem(100, of(r)).data());
    (void)job.alloc_mem(100, "system");
    (void)job.alloc_mem(100, "mpi");
    for (std::byte* p : left) EXPECT_NE(job.kind_of(p), "system");
    job.world().barrier().or_throw();
  }
  session next = open();
  for (std::byte* p : left) EXPECT_EQ(next.kind_of(p), "system");
}

TEST_F(DeviceKind, ThreadsAllocateAndCopyAtOnce) {
  session job = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&job, this, t] {
      for (int i = 0; i < 20; ++i) {
        const auto memory = job.alloc_mem(4096, of(kinds::all_residences[(t + i) % 3]));
        const int sent = t * 100 + i;
        int got = 0;
        EXPECT_TRUE(job.copy(memory.data(), &sent, sizeof sent).ok());
        EXPECT_TRUE(job.copy(&got, memory.data(), sizeof got).ok());
        EXPECT_EQ(got, sent);
        EXPECT_TRUE(job.free_mem(memory).ok());
      }
    });
  for (std::thread& t : threads) t.join();
}

// Run apart, with ORIEL_TEST_REFUSE=managed: what a runtime lacks is queried once in a process.
TEST_F(DeviceKind, LacksWhatTheRuntimeLacks) {
  if (std::getenv("ORIEL_TEST_REFUSE") == nullptr) GTEST_SKIP() << "this driver lacks nothing";
  const std::string kind(kinds::name(vendor_));
  const std::string lacking = of(kinds::residence::managed);
  const std::string had = of(kinds::residence::device);
  {
    session job = opened(kind + "," + lacking + "," + had + ",system");
    EXPECT_EQ(job.hints().get("mpi_memory_alloc_kinds"), had + ",system");
    const thrown t = catch_error([&] { (void)job.alloc_mem(8, lacking); });
    EXPECT_EQ(t.code, errc::unsupported_kind);
    EXPECT_TRUE(contains(t.text, "'" + kind + "' was requested, and " + lacking)) << t.text;
    const auto memory = job.alloc_mem(8, had);
    EXPECT_TRUE(job.free_mem(memory).ok());
  }
  // Memory of the device is there, and was not provided because more was requested.
  session job = opened(kind);
  EXPECT_EQ(job.hints().get("mpi_memory_alloc_kinds"), "");
  const thrown t = catch_error([&] { (void)job.alloc_mem(8, had); });
  EXPECT_TRUE(contains(t.text, lacking + " cannot be had: ")) << t.text;
}

}  // namespace
}  // namespace oriel::testing
