// Several threads of each rank at once, with other ranks' threads, on one node and between nodes:
// locks exclude and are all granted, a flush covers what any thread has put, no notification and no
// update is lost. A wait that ORIEL_TIMEOUT ends is a failure here, and the first that a thread
// has.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/job.hpp"
#include "tests/support/seed.hpp"

namespace oriel::testing {
namespace {

constexpr int threads = 3;

unsigned seed() {
  static const auto chosen = static_cast<unsigned>(seed_or(1));
  return chosen;
}
std::mt19937 dice_of(int thread) {
  std::seed_seq s{static_cast<int>(seed()), me(), thread};
  return std::mt19937(s);
}
rank any_of(std::mt19937& dice) {
  return rank{static_cast<int>(dice() % static_cast<unsigned>(ranks()))};
}

// `work(t)` on each thread; gives the first failure of any.
template <class Work>
status on_threads(Work work) {
  std::atomic<errc> first{errc::success};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      const status e = work(t);
      errc none = errc::success;
      if (!e.ok()) first.compare_exchange_strong(none, e.code());
    });
  for (std::thread& t : all) t.join();
  return first.load();
}

// Of all ranks' `mine`. Later failures than the first are of no interest.
std::uint64_t sum_of_all(std::uint64_t mine) {
  return world().allreduce(mine, atomic_op::sum);
}

using counters = window<std::uint64_t>;

// --- Accumulates within an epoch

// One epoch, in which all threads accumulate: on one element, inside a lock that excludes others.
template <class Window>
void accumulate_in_one_epoch(Window& w) {
  constexpr std::uint64_t rounds = 20, times = 400;
  status first;
  auto dice = dice_of(0);
  for (std::uint64_t round = 0; round < rounds && first.ok(); ++round) {
    const rank target = any_of(dice);
    auto held = w.lock_exclusive(target);
    ASSERT_TRUE(held.opened().ok()) << w.failure();
    first = on_threads([&](int) -> status {
      for (std::uint64_t i = 0; i < (w.members().on_node(target) ? 20 * times : times); ++i)
        if (const status e = w.add(target, disp{0}, 1); !e.ok()) return e;
      return {};
    });
    EXPECT_TRUE(first.ok()) << w.failure();
    std::uint64_t seen = 0;
    EXPECT_TRUE(w.get(target, disp{0}, seen).ok());
    std::uint64_t before = 0;
    EXPECT_TRUE(w.get(target, disp{1}, before).ok());
    EXPECT_TRUE(w.flush(target).ok());
    EXPECT_TRUE(w.get(target, disp{0}, seen).ok());
    const std::uint64_t expected =
        before + threads * (w.members().on_node(target) ? 20 * times : times);
    EXPECT_EQ(seen, expected) << "of rank " << target.value;
    EXPECT_TRUE(w.put(target, disp{1}, seen).ok());
    EXPECT_TRUE(held.end().ok()) << w.failure();
  }
  world().barrier().or_throw();
}

constexpr assertion_set exclusive_only = assertion::exclusive_lock;

TEST(ThreadsAndNodes, AccumulatesUnderExclusiveLocksLoseNothing) {
  auto w = counters::allocate(world(), 2, exclusive_only);
  accumulate_in_one_epoch(w);
}
TEST(ThreadsAndNodes, AccumulatesUnderExclusiveLocksOfAStaticWindowLoseNothing) {
  auto w = window<std::uint64_t, exclusive_only>::allocate(world(), 2);
  accumulate_in_one_epoch(w);
}

// --- Flush

// Memory that this rank exposes and every rank of the machine reads without oriel.
class seen_memory {
 public:
  explicit seen_memory(std::size_t elements) : bytes_(elements * sizeof(std::uint64_t)) {
    fd_ = memfd_create("oriel_threads_test", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(fd_, static_cast<off_t>(bytes_)), 0);
    struct place {
      pid_t pid;
      int fd;
    };
    for (const place& p : world().allgather(place{getpid(), fd_})) {
      const std::string path = "/proc/" + std::to_string(p.pid) + "/fd/" + std::to_string(p.fd);
      const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
      EXPECT_GE(fd, 0) << path;
      void* const at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      EXPECT_NE(at, MAP_FAILED);
      close(fd);
      all_.push_back(static_cast<std::uint64_t*>(at));
    }
    world().barrier().or_throw();
  }
  ~seen_memory() {
    for (std::uint64_t* at : all_) munmap(at, bytes_);
    close(fd_);
  }
  seen_memory(const seen_memory&) = delete;
  seen_memory& operator=(const seen_memory&) = delete;
  [[nodiscard]] std::span<std::uint64_t> mine() const {
    return {all_[static_cast<std::size_t>(me())], bytes_ / sizeof(std::uint64_t)};
  }
  // What lies there now, in the owner's memory.
  [[nodiscard]] std::uint64_t look(rank r, std::size_t i) const {
    return std::atomic_ref(all_[static_cast<std::size_t>(r.value)][i]).load();
  }

 private:
  std::size_t bytes_;
  int fd_ = -1;
  std::vector<std::uint64_t*> all_;
};

// Slot of a thread of a rank, and long rows further on.
std::size_t slot_of(int thread) {
  return static_cast<std::size_t>(me() * threads + thread);
}
constexpr std::size_t row = 512;

TEST(ThreadsAndNodes, AFlushCoversWhatItsThreadHasPut) {
  const std::size_t slots = static_cast<std::size_t>(ranks() * threads);
  seen_memory seen(slots * (1 + row));
  auto w =
      counters::create(world(), seen.mine(), assertion::shared_lock | assertion::multi_element);
  auto all = w.lock_all();
  std::atomic<std::uint64_t> missed{0}, looked{0};
  const status first = on_threads([&](int t) -> status {
    const std::size_t mine = slot_of(t), long_one = slots + mine * row;
    std::vector<std::uint64_t> values(row);
    const rank target = world().size() == 1 ? rank{0} : rank{(me() + ranks() / 2) % ranks()};
    for (std::uint64_t i = 1; i <= 3000; ++i) {
      const bool whole_row = i % 8 == 0;
      status e;
      if (whole_row) {
        std::fill(values.begin(), values.end(), i);
        e = w.put(target, disp{long_one}, std::span<const std::uint64_t>(values));
      } else {
        e = w.put(target, disp{mine}, i);
      }
      if (e.ok()) e = i % 3 == 0 ? w.flush_all() : w.flush(target);
      if (!e.ok()) return e;
      ++looked;
      const std::size_t at = whole_row ? long_one + row - 1 : mine;
      if (seen.look(target, at) != i) ++missed;
    }
    return {};
  });
  EXPECT_TRUE(first.ok()) << name(first.code()) << ": " << w.failure();
  EXPECT_EQ(missed, 0u) << "of " << looked << " puts were not there after their flush";
  EXPECT_TRUE(all.end().ok());
  world().barrier().or_throw();
}

// --- Notification

TEST(ThreadsAndNodes, NoNotificationIsLostAndEachComesAfterItsPut) {
  constexpr std::uint64_t times = 300;
  const auto slots = static_cast<std::size_t>(ranks() * threads);
  auto w = counters::allocate(
      world(), slots, assertion::notify | assertion::shared_lock | assertion::local_load_store);
  auto all = w.lock_all();
  // Each thread counts on every rank, in turn, and waits for those who count on its own rank.
  const status first = on_threads([&](int t) -> status {
    const auto counter = static_cast<std::size_t>(t);
    for (std::uint64_t i = 1; i <= times; ++i) {
      for (int r = 0; r < ranks(); ++r)
        if (const status e = w.put_notify(rank{r}, disp{slot_of(t)}, i, counter); !e.ok()) return e;
      if (i % 10 != 0) continue;
      if (const status e = w.wait_notify(counter, i * static_cast<std::uint64_t>(ranks())); !e.ok())
        return e;
      // The ranks that have notified have put: at least so much, on the whole.
      std::uint64_t sum = 0;
      for (int r = 0; r < ranks(); ++r)
        sum += std::atomic_ref(w.local()[static_cast<std::size_t>(r * threads + t)]).load();
      if (sum < i * static_cast<std::uint64_t>(ranks())) return errc::rma_conflict;
    }
    return {};
  });
  EXPECT_TRUE(first.ok()) << name(first.code()) << ": " << w.failure();
  EXPECT_TRUE(all.end().ok()) << w.failure();
  world().barrier().or_throw();
  for (int t = 0; t < threads; ++t)
    EXPECT_EQ(w.notified(static_cast<std::size_t>(t)), times * static_cast<std::uint64_t>(ranks()));
  world().barrier().or_throw();
}

// --- Locks: last, since a lock that is lost leaves the ranks in different places

constexpr disp plain{0}, atomic{1};

status count_under(epoch held, counters& w, rank target) {
  if (!held.opened().ok()) return held.opened();
  std::uint64_t value = 0;
  status e = w.get(target, plain, value);
  if (e.ok()) e = w.put(target, plain, value + 1);
  const status ended = held.end();
  return e.ok() ? ended : e;
}

status add_under(epoch held, counters& w, rank target) {
  if (!held.opened().ok()) return held.opened();
  const status e = w.add(target, atomic, 1);
  const status ended = held.end();
  return e.ok() ? ended : e;
}

// Threads of one rank may not lock one target at a time, so each has targets of its own; more
// threads than ranks leave some without.
rank target_of(int thread, std::mt19937& dice) {
  const int mine = (ranks() - thread + threads - 1) / threads;
  return rank{thread + threads * static_cast<int>(dice() % static_cast<unsigned>(mine))};
}

// Half of the ranks lock targets, all others lock_all; then the other half.
TEST(ThreadsAndNodes, LocksAreAllGrantedAndExclude) {
  constexpr int phases = 6, times = 60;
  RecordProperty("seed", static_cast<int>(seed()));
  auto w = counters::allocate(
      world(), 2, assertion::shared_lock | assertion::exclusive_lock | assertion::local_load_store);
  std::atomic<std::uint64_t> counted{0}, added{0};
  status first;
  for (int phase = 0; phase < phases && first.ok(); ++phase) {
    if ((me() + phase) % 2 == 0) {
      auto dice = dice_of(100 + phase);
      for (int i = 0; i < times && first.ok(); ++i) {
        first = add_under(w.lock_all(), w, any_of(dice));
        if (first.ok()) ++added;
      }
    } else {
      first = on_threads([&](int t) -> status {
        auto dice = dice_of(10 * phase + t);
        for (int i = 0; i < times && t < ranks(); ++i) {
          const rank target = target_of(t, dice);
          const bool alone = dice() % 3 != 0;
          const status e = alone ? count_under(w.lock_exclusive(target), w, target)
                                 : add_under(w.lock_shared(target), w, target);
          if (!e.ok()) return e;
          ++(alone ? counted : added);
        }
        return {};
      });
    }
    EXPECT_TRUE(first.ok()) << name(first.code()) << ": " << w.failure();
    if (const status met = world().barrier(); first.ok()) first = met;
  }
  ASSERT_TRUE(first.ok()) << name(first.code()) << ": " << w.failure();
  EXPECT_EQ(sum_of_all(w.local()[0]), sum_of_all(counted));
  EXPECT_EQ(sum_of_all(w.local()[1]), sum_of_all(added));
}

// --- Reads and writes

// Each thread's part of a target is its own: its flush, or one of another thread, completes it.
TEST(ThreadsAndNodes, TransfersOfAllThreadsAreCompleteAfterAFlush) {
  constexpr std::size_t longest = 40'000, rounds = 30;
  auto w = window<std::uint64_t>::allocate(world(), longest * threads,
                                           assertion::shared_lock | assertion::multi_element);
  const char* const asked = std::getenv("ORIEL_CONTEXTS");
  if (asked != nullptr && spans_nodes()) {
    const std::string wanted = std::string("threads have ") + asked + " endpoints";
    EXPECT_NE(w.explain().find(wanted), std::string::npos) << w.explain();
  }
  const rank next = world().next();
  auto epoch = w.lock_all();
  std::vector<std::vector<std::uint64_t>> sent(threads), got(threads);
  std::atomic<int> wrong{0};
  for (std::size_t round = 0; round < rounds; ++round) {
    const bool each_flushes = round % 2 == 0;
    const auto first = [](int t) { return disp{static_cast<std::uint64_t>(t) * longest}; };
    const auto put = on_threads([&](int t) -> status {
      const auto mine = static_cast<std::size_t>(t);
      const std::size_t n = round % 3 == 0 ? 1 + mine : longest - round * mine;
      sent[mine].assign(n, round * 100 + mine + 1);
      got[mine].assign(n, 0);
      for (std::size_t i = 0; i < n; i += n / 4 + 1) sent[mine][i] = i;
      const std::span<const std::uint64_t> all(sent[mine]);
      if (const status e = w.put(next, first(t), all); !e.ok()) return e;
      if (!each_flushes) return {};
      if (const status e = w.flush(next); !e.ok()) return e;
      if (const status e = w.get(next, first(t), std::span(got[mine])); !e.ok()) return e;
      if (const status e = w.flush(next); !e.ok()) return e;
      if (got[mine] != sent[mine]) ++wrong;
      return {};
    });
    ASSERT_TRUE(put.ok()) << w.failure();
    if (each_flushes) continue;
    ASSERT_TRUE(w.flush(next).ok()) << w.failure();
    for (int t = 0; t < threads; ++t)
      ASSERT_TRUE(w.get(next, first(t), std::span(got[static_cast<std::size_t>(t)])).ok());
    ASSERT_TRUE(w.flush(next).ok()) << w.failure();
    if (got != sent) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(world().barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
