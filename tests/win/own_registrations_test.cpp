// Between nodes, on a provider that wants this process's own buffers registered: memory of oriel's,
// and what a program has given to a window, is registered once, other memory of the program's for
// each transfer, so that what it unmaps is never taken for what it maps there later.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
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

// Memory that is mapped at one address, where that is given.
class mapped_pages {
 public:
  explicit mapped_pages(void* at = nullptr)
      : at_(mmap(at, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED_NOREPLACE), -1, 0)) {
    if (at_ == MAP_FAILED) throw std::runtime_error("no memory can be mapped there");
  }
  mapped_pages(const mapped_pages&) = delete;
  mapped_pages& operator=(const mapped_pages&) = delete;
  ~mapped_pages() { munmap(at_, bytes); }
  [[nodiscard]] void* at() const { return at_; }
  [[nodiscard]] std::span<word> values() const { return {static_cast<word*>(at_), words}; }

 private:
  static constexpr std::size_t bytes = words * sizeof(word);
  void* at_;
};

struct OwnRegistrations : ::testing::Test {
  // What oriel keeps of its own is registered before anything is counted. The place is one that no
  // buffer of the target lies in, which may have begun already.
  OwnRegistrations() {
    auto epoch = w.lock_all();
    EXPECT_TRUE(w.put(there(), disp{half}, word{0}).ok());
    EXPECT_TRUE(w.flush(there()).ok());
  }
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

// Each of ten transfers there and back registers it.
constexpr std::uint64_t each_time = 20;

TEST_F(OwnRegistrations, AreNotKeptOfTheProgramsOwnMemory) {
  void* at = nullptr;
  for (int turn = 0; turn < 5; ++turn) {
    const mapped_pages pages(at);
    at = pages.at();
    EXPECT_EQ(registered_by(pages.values()), each_time);
  }
}

TEST_F(OwnRegistrations, AreKeptOfMemoryOfAWindowUntilThatIsFreed) {
  void* at = nullptr;
  for (int turn = 0; turn < 3; ++turn) {
    const mapped_pages pages(at);
    at = pages.at();
    EXPECT_EQ(registered_by(pages.values()), each_time) << "others' memory was there before";
    {
      auto over = window<word>::create(world(), pages.values(), promise);
      EXPECT_EQ(registered_by(pages.values()), 1u);
      EXPECT_EQ(registered_by(pages.values().subspan(100, 50)), 0u);
      {
        auto half = window<word>::create(world(), pages.values().first(words / 2), promise);
        EXPECT_EQ(registered_by(pages.values()), 0u);
      }
      EXPECT_EQ(registered_by(pages.values()), 0u);
    }
    EXPECT_EQ(registered_by(pages.values()), each_time);
  }
}

TEST_F(OwnRegistrations, AreKeptOfWhatIsAttachedUntilItIsDetached) {
  auto dynamic = window<word>::create(world(), promise | assertion::attach);
  void* at = nullptr;
  for (int turn = 0; turn < 3; ++turn) {
    const mapped_pages pages(at);
    at = pages.at();
    const auto attached = dynamic.attach(pages.values());
    EXPECT_EQ(registered_by(pages.values()), 1u);
    EXPECT_EQ(registered_by(pages.values().subspan(5, 10)), 0u);
    EXPECT_TRUE(dynamic.detach(attached.handle).ok()) << dynamic.failure();
    EXPECT_EQ(registered_by(pages.values()), each_time);
  }
}

// A child that a process starts meanwhile writes to pages of its own.
TEST_F(OwnRegistrations, OutliveAFork) {
  const mapped_pages pages;
  auto over = window<word>::create(world(), pages.values(), promise);
  EXPECT_EQ(registered_by(pages.values()), 1u);
  const pid_t child = fork();
  if (child == 0) {
    std::fill(pages.values().begin(), pages.values().end(), ~word{0});
    _exit(0);
  }
  ASSERT_GT(child, 0);
  EXPECT_EQ(registered_by(pages.values()), 0u);
  int ended = 0;
  EXPECT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_EQ(registered_by(pages.values()), 0u);
}

// Each in a part of one block; what another thread maps and unmaps meanwhile is its own.
TEST_F(OwnRegistrations, AreSharedByThreads) {
  constexpr std::size_t threads = 3, part = words / 4;
  const mapped_pages pages;
  auto over = window<word>::create(world(), pages.values(), promise);
  const std::uint64_t before = registrations();
  std::atomic<int> failed{0};
  std::atomic<bool> done{false};
  {
    auto epoch = w.lock_all();
    std::thread other([&] {
      while (!done) {
        const mapped_pages others;
        others.values()[0] = 1;
      }
    });
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        const auto mine = pages.values().subspan(t * part, part);
        for (word i = 0; i < 50; ++i) {
          std::fill(mine.begin(), mine.end(), i + t);
          const bool there_and_back =
              w.put(there(), disp{half + t * part}, std::span<const word>(mine)).ok() &&
              w.flush(there()).ok();
          std::fill(mine.begin(), mine.end(), 0);
          if (!there_and_back || !w.get(there(), disp{half + t * part}, mine).ok() ||
              !w.flush(there()).ok() || mine.front() != i + t || mine.back() != i + t)
            ++failed;
        }
      });
    for (std::thread& t : all) t.join();
    done = true;
    other.join();
  }
  EXPECT_EQ(failed, 0) << w.first_failure();
  EXPECT_EQ(registrations() - before, 1u);
}

// Up to 64 bytes, which are reusable on return.
TEST_F(OwnRegistrations, OfOperandsThatOrielKeepsAreFew) {
  const std::uint64_t before = registrations();
  auto epoch = w.lock_all();
  std::vector<word> few(8);
  for (word i = 0; i < 300; ++i) {
    std::fill(few.begin(), few.end(), i);
    ASSERT_TRUE(w.put(there(), disp{half}, std::span<const word>(few)).ok());
    ASSERT_TRUE(w.put(there(), disp{half + 8}, i).ok());
  }
  ASSERT_TRUE(w.flush(there()).ok()) << w.failure();
  EXPECT_EQ(w.get(there(), disp{half + 7}), 299u);
  EXPECT_EQ(w.get(there(), disp{half + 8}), 299u);
  EXPECT_LT(registrations() - before, 10u);
}

}  // namespace
}  // namespace oriel::testing
