// The arena: blocks that are zeroed, aligned, disjoint, and given back without a trace.
#include "session/node/node_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "tests/support/job.hpp"
#include "tests/support/seed.hpp"

namespace oriel::testing {
namespace {

using sessions::node_memory;

TEST(NodeMemory, BlocksAreZeroedAlignedAndDisjoint) {
  const auto memory = node_memory::make(1, 0);
  std::mt19937_64 random(1);
  std::map<std::uint64_t, std::size_t> taken;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 2 == 0 || taken.empty()) {
      const bool large = random() % 50 == 0;
      const std::size_t bytes = large ? (1u << 20) + random() % (3u << 20) : 1 + random() % 20000;
      const std::size_t alignment = std::size_t{1} << (random() % 13);
      const std::uint64_t at = memory->allocate(bytes, alignment);
      ASSERT_EQ(at % std::max<std::size_t>(alignment, 64), 0u);
      const auto next = taken.lower_bound(at);
      ASSERT_TRUE(next == taken.end() || at + bytes <= next->first);
      ASSERT_TRUE(next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= at);
      std::byte* const p = memory->base() + at;
      ASSERT_TRUE(std::all_of(p, p + bytes, [](std::byte b) { return b == std::byte{0}; }));
      std::memset(p, 0xff, bytes);
      taken[at] = bytes;
    } else {
      auto victim = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
      memory->release(victim->first);
      taken.erase(victim);
    }
  }
  for (const auto& [at, bytes] : taken) memory->release(at);
  EXPECT_EQ(memory->used(), 0u);
  // All of it is one block again: a large part can be had.
  EXPECT_NO_THROW(memory->release(memory->allocate(64u << 20)));
}

TEST(NodeMemory, ManyCyclesLeaveNoTrace) {
  const auto memory = node_memory::make(1, 0);
  const std::uint64_t first = memory->allocate(4096);
  memory->release(first);
  for (int i = 0; i < 100'000; ++i) memory->release(memory->allocate(64 + i % 8192));
  EXPECT_EQ(memory->allocate(4096), first);
}

// Windows, and what programs allocate: there is no number from which on each takes a large block.
TEST(NodeMemory, AnyNumberOfSmallBlocksStaySmall) {
  constexpr std::size_t blocks = 60'000, bytes = 256;
  const auto memory = node_memory::make(1, 0);
  std::vector<std::uint64_t> taken;
  for (std::size_t i = 0; i < blocks; ++i) taken.push_back(memory->allocate(bytes));
  EXPECT_EQ(memory->used(), blocks * bytes);
  // Holes are filled again before more is taken.
  const std::uint64_t highest = *std::max_element(taken.begin(), taken.end());
  std::mt19937_64 random(2);
  for (int round = 0; round < 3; ++round) {
    std::shuffle(taken.begin(), taken.end(), random);
    for (std::size_t i = 0; i < blocks / 2; ++i) memory->release(taken[i]);
    EXPECT_EQ(memory->used(), blocks / 2 * bytes);
    for (std::size_t i = 0; i < blocks / 2; ++i) {
      taken[i] = memory->allocate(bytes);
      ASSERT_LE(taken[i], highest);
    }
  }
  for (const std::uint64_t at : taken) memory->release(at);
  EXPECT_EQ(memory->used(), 0u);
}

TEST(NodeMemory, AnyNumberOfLargeBlocks) {
  const auto memory = node_memory::make(1, 0);
  constexpr std::size_t large = 2u << 20;
  std::vector<std::uint64_t> taken;
  // Without their pages, as alloc_mem takes them: all that the arena has room for.
  try {
    for (;;) taken.push_back(memory->allocate(large, 64, false));
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::no_mem);
  }
  EXPECT_GT(taken.size() * large, memory->capacity() / 4 * 3);
  for (std::size_t i = 0; i < taken.size(); i += 2) memory->release(taken[i]);
  // What is left is in pieces, none of which is larger than one block.
  EXPECT_EQ(catch_error([&] { (void)memory->allocate(2 * large, 64, false); }).code, errc::no_mem);
  EXPECT_NO_THROW(taken[0] = memory->allocate(large, 64, false));
  for (std::size_t i = 1; i < taken.size(); i += 2) memory->release(taken[i]);
  memory->release(taken[0]);
  EXPECT_EQ(memory->used(), 0u);
  EXPECT_NO_THROW(memory->release(memory->allocate(memory->capacity() / 8, 64, false)));
}

TEST(NodeMemory, RefusesMoreThanTheMachineHas) {
  const auto memory = node_memory::make(1, 0);
  for (const std::size_t bytes : {memory->capacity() / 64 * 63, std::size_t{1} << 50}) {
    const thrown t = catch_error([&] { (void)memory->allocate(bytes); });
    EXPECT_EQ(t.code, errc::no_mem);
    EXPECT_NE(t.text.find("bytes are available"), std::string::npos) << t.text;
  }
  EXPECT_EQ(memory->used(), 0u);
}

TEST(NodeMemory, ReleaseIgnoresWhatItDidNotGive) {
  const auto memory = node_memory::make(1, 0);
  const std::uint64_t at = memory->allocate(1000);
  memory->release(at + 64);
  memory->release(1u << 29);
  memory->release(at);
  memory->release(at);
  EXPECT_EQ(memory->used(), 0u);
}

TEST(NodeMemory, TellsItsOwnAddresses) {
  const auto memory = node_memory::make(1, 0);
  EXPECT_EQ(memory->offset_of(memory->base() + 100, 10), 100u);
  EXPECT_FALSE(memory->offset_of(memory->base() + memory->capacity() - 5, 10));
  int mine = 0;
  EXPECT_FALSE(memory->offset_of(&mine, sizeof mine));
}

TEST(NodeMemory, ThreadsAllocateAtOnce) {
  const auto memory = node_memory::make(1, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&memory, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t at = memory->allocate(128);
        std::memset(memory->base() + at, t + 1, 128);
        ASSERT_EQ(memory->base()[at + 127], static_cast<std::byte>(t + 1));
        memory->release(at);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(memory->used(), 0u);
}

std::size_t bytes_in_file(const node_memory& memory) {
  struct stat about {};
  EXPECT_EQ(fstat(memory.file().descriptor, &about), 0);
  return static_cast<std::size_t>(about.st_blocks) * 512;
}
long faults() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

// Reserved pages stay, and but for huge ones are left to the first touch.
TEST(NodeMemory, ReservesPagesAndLeavesThemUntouched) {
  const scoped_variable unasked("ORIEL_HUGE_PAGES", "0");
  const auto memory = node_memory::make(1, 0);
  constexpr std::size_t bytes = 64u << 20, huge_page = 2u << 20;
  const std::uint64_t at = memory->allocate(bytes, 64, false);
  const std::size_t before = bytes_in_file(*memory);
  const long calm = faults();
  memory->reserve(at, bytes);
  EXPECT_GE(bytes_in_file(*memory), before + bytes);
  const long reserved = faults();
  EXPECT_LT(reserved - calm, static_cast<long>(bytes / huge_page));
  EXPECT_TRUE(std::all_of(memory->base() + at, memory->base() + at + bytes,
                          [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_GE(faults() - reserved, static_cast<long>(bytes / huge_page));
  EXPECT_EQ(bytes_in_file(*memory), before + bytes);
  memory->release(at);
  EXPECT_EQ(bytes_in_file(*memory), before);
}

TEST(NodeMemory, ReservesUnderSignals) {
  const auto memory = node_memory::make(1, 0);
  constexpr std::size_t bytes = 128u << 20;
  struct sigaction ignored {};
  ignored.sa_handler = [](int) {};
  struct sigaction before {};
  sigaction(SIGALRM, &ignored, &before);
  itimerval often{{0, 500}, {0, 500}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  const std::uint64_t at = memory->allocate(bytes, 64, false);
  const thrown t = catch_error([&] { memory->reserve(at, bytes); });
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(t.code, errc::success) << t.text;
  EXPECT_GE(bytes_in_file(*memory), bytes);
}

// A control group of this test's own, with little memory; where none can be made there is no test.
class small_group {
 public:
  explicit small_group(std::size_t bytes) {
    const std::string name = "/oriel-test-" + std::to_string(getpid());
    for (const auto& [root, limit] : {std::pair{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes"},
                                      std::pair{"/sys/fs/cgroup", "/memory.max"}}) {
      path_ = root + name;
      if (mkdir(path_.c_str(), 0755) != 0) continue;
      std::ofstream file(path_ + limit);
      if (file << bytes << std::flush) return;
      rmdir(path_.c_str());
    }
    path_.clear();
  }
  ~small_group() {
    // The kernel lets go of the members a moment after they have ended.
    for (int i = 0; !path_.empty() && rmdir(path_.c_str()) != 0 && i < 500; ++i) usleep(10'000);
  }
  small_group(const small_group&) = delete;
  small_group& operator=(const small_group&) = delete;
  [[nodiscard]] bool made() const { return !path_.empty(); }
  [[nodiscard]] bool join() const {
    std::ofstream file(path_ + "/cgroup.procs");
    return static_cast<bool>(file << getpid() << std::flush);
  }

 private:
  std::string path_;
};

TEST(NodeMemory, RefusesMoreThanItsControlGroupAllows) {
  constexpr std::size_t limit = 128u << 20;
  const small_group group(limit);
  if (!group.made()) GTEST_SKIP() << "no control group can be made here";
  const pid_t child = fork();
  if (child == 0) {
    if (!group.join()) _exit(77);
    const auto memory = node_memory::make(1, 0);
    const thrown reserved = catch_error([&] {
      const std::uint64_t at = memory->allocate(limit / 2, 64, false);
      memory->reserve(at, limit / 2);
      memory->release(at);
    });
    const bool ok = reserved.code == errc::success;
    const bool refused =
        catch_error([&] { (void)memory->allocate(2 * limit); }).code == errc::no_mem &&
        catch_error([&] { (void)memory->allocate(2 * limit, 64, false); }).code == errc::no_mem;
    _exit(ok && refused ? 0 : 1);
  }
  int how = 0;
  waitpid(child, &how, 0);
  ASSERT_TRUE(WIFEXITED(how)) << "ended by signal " << WTERMSIG(how);
  if (WEXITSTATUS(how) == 77) GTEST_SKIP() << "the control group cannot be joined";
  EXPECT_EQ(WEXITSTATUS(how), 0);
}

// Blocks that a process of the node keeps, each full of its own bytes.
class kept_blocks {
 public:
  explicit kept_blocks(node_memory& memory, std::uint64_t seed) : memory_(memory), random_(seed) {}
  ~kept_blocks() { release_all(); }
  kept_blocks(const kept_blocks&) = delete;
  kept_blocks& operator=(const kept_blocks&) = delete;

  // Takes a block, which must be zeroed, or gives one back, which must be as it was left.
  void step() {
    if (blocks_.empty() || (blocks_.size() < 40 && random_() % 2 == 0)) {
      const std::size_t bytes = 1 + random_() % (random_() % 20 == 0 ? 3u << 20 : 20'000u);
      const std::uint64_t at = memory_.allocate(bytes, std::size_t{64} << (random_() % 6));
      EXPECT_TRUE(is_all(at, bytes, std::byte{0}));
      const auto mark = static_cast<std::byte>(1 + random_() % 255);
      std::memset(memory_.base() + at, static_cast<int>(mark), bytes);
      blocks_.push_back({at, bytes, mark});
    } else {
      std::swap(blocks_[random_() % blocks_.size()], blocks_.back());
      release_last();
    }
  }
  void release_all() {
    while (!blocks_.empty()) release_last();
  }

 private:
  struct block {
    std::uint64_t at;
    std::size_t bytes;
    std::byte mark;
  };
  [[nodiscard]] bool is_all(std::uint64_t at, std::size_t bytes, std::byte what) const {
    const std::byte* const p = memory_.base() + at;
    return std::all_of(p, p + bytes, [what](std::byte b) { return b == what; });
  }
  void release_last() {
    const auto [at, bytes, mark] = blocks_.back();
    blocks_.pop_back();
    EXPECT_TRUE(is_all(at, bytes, mark)) << "another process has the block too";
    memory_.release(at);
  }

  node_memory& memory_;
  std::mt19937_64 random_;
  std::vector<block> blocks_;
};

// Processes end at any instruction of the allocator; the others go on, and lose no block of theirs.
TEST(NodeMemory, OutlivesWhoeverDiesInTheAllocator) {
  constexpr int deaths = 200;
  const std::uint64_t chosen = seed();
  SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(chosen));
  std::mt19937_64 random(chosen);
  const auto memory = node_memory::make(deaths + 1, 0);
  kept_blocks mine(*memory, random());
  for (int death = 1; death <= deaths; ++death) {
    std::array<int, 2> ready{};
    ASSERT_EQ(pipe(ready.data()), 0);
    const std::uint64_t its_seed = random();
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const auto opened = node_memory::open(getppid(), memory->file(), death);
      kept_blocks its(*opened, its_seed);
      if (write(ready[1], "r", 1) != 1) _exit(1);
      for (;;) its.step();
    }
    char c = 0;
    ASSERT_EQ(read(ready[0], &c, 1), 1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 500);
    while (std::chrono::steady_clock::now() < end) mine.step();
    kill(child, SIGKILL);
    for (int i = 0; i < 20; ++i) {
      const thrown t = catch_error([&] { mine.step(); });
      ASSERT_EQ(t.code, errc::success) << "after death " << death << ": " << t.text;
    }
    int how = 0;
    waitpid(child, &how, 0);
    ASSERT_TRUE(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL) << how;
    for (const int fd : ready) close(fd);
  }
  mine.release_all();
}

// Another process opens the file, and its death is noticed although it is not reaped.
TEST(NodeMemory, SeesWhoIsAlive) {
  const auto memory = node_memory::make(2, 0);
  std::array<int, 2> ready{}, go{};
  ASSERT_EQ(pipe(ready.data()), 0);
  ASSERT_EQ(pipe(go.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const auto mine = node_memory::open(getppid(), memory->file(), 1);
    char c = 'r';
    const bool told = write(ready[1], &c, 1) == 1 && read(go[0], &c, 1) == 1;
    _exit(told ? 0 : 1);
  }
  char c = 0;
  ASSERT_EQ(read(ready[0], &c, 1), 1);
  EXPECT_TRUE(memory->alive(1));
  ASSERT_EQ(write(go[1], "g", 1), 1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (memory->alive(1) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_FALSE(memory->alive(1)) << "a zombie counts as dead";
  EXPECT_TRUE(memory->alive(0));
  int how = 0;
  waitpid(child, &how, 0);
  EXPECT_EQ(how, 0);
  for (const int fd : {ready[0], ready[1], go[0], go[1]}) close(fd);
}

}  // namespace
}  // namespace oriel::testing
