// Between nodes, on a provider that wants this process's own buffers registered: memory of oriel's
// is registered once, the program's own for each transfer, so that what it unmaps is never taken
// for what it maps there later.
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t words = 1024;
using word = std::uint64_t;
constexpr assertion_set promise =
    assertion::shared_lock | assertion::multi_element | assertion::local_load_store;

// How often memory has been registered for local use: tests/transport/strict_provider.cpp counts.
std::uint64_t registrations() {
  const auto count =
      reinterpret_cast<std::uint64_t (*)()>(dlsym(RTLD_DEFAULT, "strict_provider_registrations"));
  if (count == nullptr) throw std::runtime_error("the strict provider is not preloaded");
  return count();
}

rank there() {
  return rank{(me() + job().node().size()) % ranks()};
}

struct OwnRegistrations : ::testing::Test {
  // Ten transfers each way; what is put is got.
  void transfer(std::span<word> buffer) {
    auto epoch = w.lock_all();
    for (word i = 0; i < 10; ++i) {
      std::fill(buffer.begin(), buffer.end(), ++value);
      EXPECT_TRUE(w.put(there(), disp{half}, std::span<const word>(buffer)).ok());
      EXPECT_TRUE(w.flush(there()).ok()) << w.failure();
      std::fill(buffer.begin(), buffer.end(), 0);
      EXPECT_TRUE(w.get(there(), disp{half}, buffer).ok());
      EXPECT_TRUE(w.flush(there()).ok()) << w.failure();
      EXPECT_EQ(std::vector<word>(buffer.begin(), buffer.end()),
                std::vector<word>(buffer.size(), value));
    }
  }
  std::uint64_t registered_by(std::span<word> buffer) {
    const std::uint64_t before = registrations();
    transfer(buffer);
    return registrations() - before;
  }
  std::span<word> allocated() {
    const auto bytes = job().alloc_mem(words * sizeof(word));
    return {reinterpret_cast<word*>(bytes.data()), words};
  }

  static constexpr word half = words;  // where others put; before it this rank's own
  window<word> w = window<word>::allocate(world(), 2 * words, promise);
  word value = static_cast<word>(me()) * 1000;
};

TEST_F(OwnRegistrations, AreOfMemoryThatAWindowAllocatedOneInAll) {
  EXPECT_EQ(registered_by(w.local().first(words)), 1u);
  EXPECT_EQ(registered_by(w.local().first(words)), 0u);
  EXPECT_EQ(registered_by(w.local().subspan(10, 100)), 0u);
}

TEST_F(OwnRegistrations, AreOfAllocMemOneInAll) {
  const std::span<word> memory = allocated();
  EXPECT_EQ(registered_by(memory), 1u);
  EXPECT_EQ(registered_by(memory), 0u);
  EXPECT_EQ(registered_by(memory.subspan(100, 50)), 0u);
  EXPECT_TRUE(job().free_mem(std::as_writable_bytes(memory)).ok());
  // The same place, as a rule; it is registered anew.
  const std::span<word> again = allocated();
  EXPECT_EQ(registered_by(again), 1u);
  EXPECT_TRUE(job().free_mem(std::as_writable_bytes(again)).ok());
}

// A window over it adds nothing, and takes nothing away when it is freed.
TEST_F(OwnRegistrations, OutliveWindowsOverTheSameMemory) {
  const std::span<word> memory = allocated();
  EXPECT_EQ(registered_by(memory), 1u);
  {
    auto over = window<word>::create(world(), memory, promise);
    EXPECT_EQ(registered_by(memory), 0u);
  }
  EXPECT_EQ(registered_by(memory), 0u);
  EXPECT_TRUE(job().free_mem(std::as_writable_bytes(memory)).ok());
}

TEST_F(OwnRegistrations, AreNotKeptOfTheProgramsOwnMemory) {
  constexpr std::size_t bytes = words * sizeof(word);
  void* at = nullptr;
  for (int turn = 0; turn < 5; ++turn) {
    void* const mapped =
        mmap(at, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED_NOREPLACE), -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    at = mapped;
    EXPECT_EQ(registered_by(std::span(static_cast<word*>(mapped), words)), 20u);
    ASSERT_EQ(munmap(mapped, bytes), 0);
  }
}

}  // namespace
}  // namespace oriel::testing
