// Attached memory that is private to its owner, within a node: the kernel copies it, and what
// happens when the kernel does not.
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <numeric>
#include <thread>
#include <vector>

#include "session/session_state.hpp"
#include "tests/support/job.hpp"
#include "transport/cma.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set promise =
    assertion::attach | assertion::shared_lock | assertion::multi_element;
constexpr std::size_t many = 100'000;

// Whom this rank accesses: the next rank of its own node.
rank neighbour() {
  int r = me();
  do {
    r = (r + 1) % ranks();
  } while (!world().on_node(rank{r}));
  return rank{r};
}
pid_t process_of(rank r) {
  return job().state()->job().pid_of(r.value);
}
// Collective.
bool kernel_copies(rank r) {
  static int something;
  std::vector<std::uint64_t> where(static_cast<std::size_t>(ranks()));
  for (int i = 0; i < ranks(); ++i) {
    where[static_cast<std::size_t>(i)] = reinterpret_cast<std::uintptr_t>(&something);
    world().broadcast(where[static_cast<std::size_t>(i)], rank{i}).or_throw();
  }
  return transport::cma_allowed(process_of(r), where[static_cast<std::size_t>(r.value)]);
}
// On all ranks or on none.
bool kernel_copies_everywhere(rank r) {
  const bool copies = kernel_copies(r);
  const int here = r != world().me() && copies ? 1 : 0;
  return world().allreduce(here, atomic_op::min) == 1;
}

// Stops a process, its agent too, until it is destroyed or has waited for so long that whoever is
// tested must be waiting for that process.
class stopped_process {
 public:
  explicit stopped_process(pid_t who) : who_(who) {
    kill(who_, SIGSTOP);
    guard_ = std::thread([this] {
      for (int i = 0; i < 1000 && !done_; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      waited_for_ = !done_;
      kill(who_, SIGCONT);
    });
  }
  ~stopped_process() {
    done_ = true;
    guard_.join();
  }
  stopped_process(const stopped_process&) = delete;
  stopped_process& operator=(const stopped_process&) = delete;
  [[nodiscard]] bool was_waited_for() const { return waited_for_; }

 private:
  pid_t who_;
  std::atomic<bool> done_{false}, waited_for_{false};
  std::thread guard_;
};

// Without the right to read the memory of processes that do not want it, which root has.
class without_ptrace_capability {
 public:
  without_ptrace_capability() {
    __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &head_, before_) != 0) return;
    std::copy_n(before_, 2, data);
    data[0].effective &= ~(1u << CAP_SYS_PTRACE);
    syscall(SYS_capset, &head_, data);
  }
  ~without_ptrace_capability() { syscall(SYS_capset, &head_, before_); }
  without_ptrace_capability(const without_ptrace_capability&) = delete;
  without_ptrace_capability& operator=(const without_ptrace_capability&) = delete;

 private:
  __user_cap_header_struct head_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2]{};
};

// A window on which every rank has attached `many` integers of its own, gathered by all.
struct attached_window {
  std::vector<int> memory = std::vector<int>(many, 1000 * me());
  window<int> w = window<int>::create(world(), promise);
  segment<int> mine = w.attach(memory);
};

TEST(Attached, IsCopiedByTheKernelWhateverItsOwnerDoes) {
  const rank next = neighbour();
  if (!kernel_copies_everywhere(next)) GTEST_SKIP() << "the kernel does not copy here";
  attached_window a;
  std::vector<int> got(many), given(many);
  std::iota(given.begin(), given.end(), 7);
  auto epoch = a.w.lock_all();
  world().barrier().or_throw();
  // One after the other, so that nobody stops whoever is to wake another.
  for (int turn = 0; turn < ranks(); ++turn) {
    if (turn == me()) {
      const stopped_process owner(process_of(next));
      EXPECT_TRUE(a.w.get(next, a.mine.first, std::span(got)).ok()) << a.w.failure();
      EXPECT_TRUE(a.w.put(next, a.mine.first, std::span<const int>(given)).ok());
      EXPECT_TRUE(a.w.flush(next).ok());
      EXPECT_FALSE(owner.was_waited_for());
    }
    world().barrier().or_throw();
  }
  EXPECT_EQ(got, std::vector<int>(many, 1000 * next.value));
  EXPECT_EQ(a.memory, given);
  EXPECT_NE(a.w.explain().find("kernel"), std::string::npos) << a.w.explain();
  epoch.end().or_throw();
  world().barrier().or_throw();
}

TEST(Attached, IsServedByItsOwnerWhereTheKernelRefusesLater) {
  const rank next = neighbour();
  if (next == world().me()) GTEST_SKIP() << "no other rank is on this node";
  attached_window a;
  auto epoch = a.w.lock_all();
  world().barrier().or_throw();
  prctl(PR_SET_DUMPABLE, 0);
  world().barrier().or_throw();
  std::vector<int> got(many), given(many, 42 + me());
  {
    const without_ptrace_capability unprivileged;
    EXPECT_FALSE(kernel_copies(next));
    EXPECT_TRUE(a.w.get(next, a.mine.first, std::span(got)).ok()) << a.w.failure();
    world().barrier().or_throw();
    EXPECT_TRUE(a.w.put(next, a.mine.first, std::span<const int>(given)).ok()) << a.w.failure();
    EXPECT_TRUE(a.w.flush(next).ok());
  }
  world().barrier().or_throw();
  prctl(PR_SET_DUMPABLE, 1);
  EXPECT_EQ(got, std::vector<int>(many, 1000 * next.value));
  EXPECT_NE(a.memory, std::vector<int>(many, 1000 * me()));
  EXPECT_EQ(a.memory.front(), a.memory.back());
  epoch.end().or_throw();
  world().barrier().or_throw();
}

// A program that gives memory back and leaves it attached gets an error where it accesses it, and
// its owner goes on.
TEST(Attached, IsOutOfRangeOnceItIsDetachedOrUnmapped) {
  const rank next = neighbour();
  if (!kernel_copies_everywhere(next)) GTEST_SKIP() << "the kernel does not copy here";
  auto w = window<int>::create(world(), promise);
  constexpr std::size_t bytes = many * sizeof(int);
  const auto map = [] {
    return std::span(static_cast<int*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
                     many);
  };
  const auto detached = map(), unmapped = map();
  const auto first = w.attach(detached);
  const auto second = w.attach(unmapped);
  auto epoch = w.lock_all();
  world().barrier().or_throw();
  std::vector<int> values(many);
  EXPECT_TRUE(w.get(next, first.first, std::span(values)).ok());
  EXPECT_TRUE(w.put(next, second.first, std::span<const int>(values)).ok());
  world().barrier().or_throw();
  EXPECT_TRUE(w.detach(first.handle).ok());
  munmap(detached.data(), bytes);
  munmap(unmapped.data(), bytes);
  world().barrier().or_throw();
  for (const auto& s : {first, second}) {
    EXPECT_EQ(w.get(next, s.first, std::span(values)).code(), errc::rma_range);
    EXPECT_EQ(w.put(next, s.first, std::span<const int>(values)).code(), errc::rma_range);
  }
  w.clear_failure();
  epoch.end().or_throw();
  world().barrier().or_throw();
}

// The owner's agent is not in it either: here the pages are gone at once.
TEST(Attached, IsNotTouchedOnceDetachHasReturned) {
  const rank next = neighbour();
  if (next == world().me()) GTEST_SKIP() << "no other rank is on this node";
  auto w = window<int>::create(world(), promise);
  constexpr std::size_t bytes = many * sizeof(int);
  const std::vector<int> ones(many, 1);
  for (int turn = 0; turn < 20; ++turn) {
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    const auto mine = w.attach(std::span(static_cast<int*>(pages), many));
    auto epoch = w.lock_all();
    world().barrier().or_throw();
    std::thread owner([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(turn % 5));
      EXPECT_TRUE(w.detach(mine.handle).ok());
      munmap(pages, bytes);
    });
    errc e = errc::success;
    for (int i = 0; i < 100'000 && e == errc::success; ++i)
      e = w.accumulate(atomic_op::sum, next, mine.first, std::span<const int>(ones)).code();
    EXPECT_EQ(e, errc::rma_range) << w.failure();
    owner.join();
    w.clear_failure();
    world().barrier().or_throw();
  }
}

}  // namespace
}  // namespace oriel::testing
