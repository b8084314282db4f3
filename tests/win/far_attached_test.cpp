// Memory of other nodes that is attached: it is read and written remotely once its owner has told
// where it is, until the owner detaches it.
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "session/session_state.hpp"
#include "tests/support/job.hpp"
#include "tests/support/seed.hpp"
#include "transport/fabric.hpp"

namespace oriel::testing {
namespace {

using namespace std::chrono_literals;

constexpr assertion_set promise =
    assertion::attach | assertion::shared_lock | assertion::multi_element | assertion::notify;
constexpr std::size_t many = 200'000;

transport::fabric& way() {
  return transport::fabric_of(job().state()->job());
}

// Whom this rank accesses, and who accesses it: of another node, each rank one.
rank there() {
  return rank{(me() + job().node().size()) % ranks()};
}
rank whence() {
  return rank{(me() + ranks() - job().node().size()) % ranks()};
}

// Collective: of every rank.
std::vector<disp> all_of(disp mine) {
  std::vector<disp> all(static_cast<std::size_t>(ranks()), mine);
  for (int r = 0; r < ranks(); ++r)
    world().broadcast(all[static_cast<std::size_t>(r)].value, rank{r}).or_throw();
  return all;
}
disp of(const std::vector<disp>& all, rank r) {
  return all[static_cast<std::size_t>(r.value)];
}

window<int> make_window() {
  return window<int>::create(world(), promise, {.notify_counters = 1});
}

TEST(FarAttached, IsReadAndWrittenWithoutTheOwnersProcess) {
  std::vector<int> memory(many, me()), got(many), given(many);
  std::iota(given.begin(), given.end(), me());
  auto w = make_window();
  const disp place = of(all_of(w.attach(memory).first), there());
  auto epoch = w.lock_all();
  EXPECT_EQ(w.get(there(), place), there().value);  // asks for where it is
  world().barrier().or_throw();
  const std::uint64_t before = way().messages();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(w.get(there(), place, std::span(got)).ok());
    EXPECT_TRUE(w.flush(there()).ok()) << w.failure();
    EXPECT_EQ(got, std::vector<int>(many, there().value));
  }
  if (way().how() == transport::completion::delivery) {
    EXPECT_TRUE(w.put(there(), disp{place.value + 100}, std::span(given).first(1000)).ok());
    EXPECT_TRUE(w.flush(there()).ok()) << w.failure();
  }
  if (way().how() != transport::completion::acknowledged && !checking()) {
    EXPECT_EQ(way().messages(), before);
  }
  world().barrier().or_throw();
  EXPECT_TRUE(w.put(there(), place, std::span(given)).ok());
  EXPECT_TRUE(w.flush(there()).ok()) << w.failure();
  world().barrier().or_throw();
  EXPECT_EQ(memory[0], whence().value);
  EXPECT_EQ(memory[many - 1], whence().value + static_cast<int>(many) - 1);
}

TEST(FarAttached, IsForgottenWhenItIsDetached) {
  std::vector<int> memory(many, 1);
  auto w = make_window();
  for (int turn = 0; turn < 20; ++turn) {
    const segment<int> mine = w.attach(memory);
    const disp place = of(all_of(mine.first), there());
    auto epoch = w.lock_all();
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(w.put(there(), disp{place.value + static_cast<std::uint64_t>(i)}, turn).ok());
      EXPECT_TRUE(w.flush(there()).ok()) << w.failure();
      EXPECT_EQ(w.get(there(), disp{place.value + static_cast<std::uint64_t>(i)}), turn);
    }
    world().barrier().or_throw();
    EXPECT_EQ(memory[2], turn);
    EXPECT_TRUE(w.detach(mine.handle).ok()) << w.failure();
    world().barrier().or_throw();
    EXPECT_TRUE(w.put(there(), place, -1).ok());
    EXPECT_EQ(w.flush(there()).code(), errc::rma_range);
    w.clear_failure();
    world().barrier().or_throw();
    EXPECT_EQ(memory[0], turn);
  }
}

TEST(FarAttached, NamesTheRankWhoseMemoryIsGoneHoweverThatIsFoundOut) {
  std::vector<int> memory(8, 1);
  auto w = window<int>::create(
      world(), assertion::attach | assertion::shared_lock | assertion::fence | assertion::pscw);
  const segment<int> mine = w.attach(memory);
  const disp place = of(all_of(mine.first), there());
  EXPECT_TRUE(w.detach(mine.handle).ok()) << w.failure();
  world().barrier().or_throw();
  const std::string who = "with rank " + std::to_string(there().value) + ": no such memory";
  const auto names_it = [&](status ended) {
    EXPECT_EQ(ended.code(), errc::rma_range);
    EXPECT_NE(w.failure().find(who), std::string::npos) << w.failure();
    w.clear_failure();
  };
  {
    auto epoch = w.lock_all();
    EXPECT_TRUE(w.put(there(), place, -1).ok());
    names_it(w.flush_all());
  }
  ASSERT_TRUE(w.fence().ok()) << w.failure();
  EXPECT_TRUE(w.put(there(), place, -1).ok());
  names_it(w.fence(nosucceed));
  ASSERT_TRUE(w.post(std::array{whence()}).ok()) << w.failure();
  {
    auto epoch = w.start(std::array{there()});
    EXPECT_TRUE(w.put(there(), place, -1).ok());
    names_it(epoch.end());
  }
  EXPECT_TRUE(w.wait().ok()) << w.failure();
}

// What is under way when an owner detaches its memory ends before: here the pages are gone at once.
TEST(FarAttached, IsNotTouchedOnceDetachHasReturned) {
  constexpr std::size_t bytes = 1 << 20;
  auto w = make_window();
  for (int turn = 0; turn < 20; ++turn) {
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    const segment<int> mine = w.attach(std::span(static_cast<int*>(pages), bytes / sizeof(int)));
    const disp place = of(all_of(mine.first), there());
    const std::vector<int> given(bytes / sizeof(int), turn);
    std::atomic<bool> done{false};
    std::thread owner([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(turn % 5));
      EXPECT_TRUE(w.detach(mine.handle).ok());
      munmap(pages, bytes);
      done = true;
    });
    auto epoch = w.lock_all();
    errc e = errc::success;
    for (int i = 0; i < 10'000 && e == errc::success; ++i) {
      e = w.put(there(), place, std::span(given)).code();
      if (const errc flushed = w.flush(there()).code(); e == errc::success) e = flushed;
    }
    EXPECT_EQ(e, errc::rma_range) << w.failure();
    w.clear_failure();
    owner.join();
    EXPECT_TRUE(done);
    world().barrier().or_throw();
  }
}

// An origin that never flushes goes on with other buffers of the same owner.
TEST(FarAttached, IsDetachedWhileOthersOfItAreAccessed) {
  std::vector<int> kept(many, 7), brief(64, 8);
  auto w = make_window();
  const disp place = of(all_of(w.attach(kept).first), there());
  auto epoch = w.lock_all();
  std::atomic<bool> stop{false};
  std::vector<int> got(many);
  std::thread stream([&] {
    while (!stop) {
      EXPECT_TRUE(w.get(there(), place, std::span(got).first(4096)).ok());
      EXPECT_TRUE(w.put(there(), disp{place.value + 4096}, 7).ok());
      // Puts that are under way and overlap are a conflict, which ORIEL_CHECK reports.
      if (checking()) w.flush(there()).or_throw();
    }
  });
  const auto begin = std::chrono::steady_clock::now();
  for (int turn = 0; turn < 4; ++turn) {
    const segment<int> mine = w.attach(brief);
    const disp of_brief = of(all_of(mine.first), there());
    EXPECT_EQ(w.get(there(), of_brief), 8);
    world().barrier().or_throw();
    EXPECT_TRUE(w.detach(mine.handle).ok()) << w.failure();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
  world().barrier().or_throw();
  stop = true;
  stream.join();
  EXPECT_TRUE(w.flush_all().ok()) << w.failure();
  world().barrier().or_throw();
}

TEST(FarAttached, StaysReadOnlyWhereItsPagesAre) {
  constexpr std::size_t bytes = 4096;
  void* const page =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  *static_cast<int*>(page) = me();
  ASSERT_EQ(mprotect(page, bytes, PROT_READ), 0);
  {
    auto w = make_window();
    const disp place =
        of(all_of(w.attach(std::span(static_cast<int*>(page), 1024)).first), there());
    auto epoch = w.lock_all();
    EXPECT_EQ(w.get(there(), place), there().value);
    EXPECT_TRUE(w.put(there(), place, -1).ok());
    EXPECT_NE(w.flush(there()).code(), errc::success);
    w.clear_failure();
    EXPECT_EQ(w.get(there(), place), there().value);
    world().barrier().or_throw();
  }
  munmap(page, bytes);
}

// Against a model: each rank attaches, writes to all, detaches, and finds what the last wrote.
TEST(FarAttached, HoldsWhatWasWrittenLast) {
  std::mt19937_64 random(seed() + static_cast<std::uint64_t>(me()));
  auto w = make_window();
  std::vector<std::vector<int>> buffers(8, std::vector<int>(5000));
  std::vector<std::optional<segment<int>>> held(buffers.size());
  for (int round = 0; round < 30; ++round) {
    const std::size_t which = random() % buffers.size();
    if (held[which]) {
      EXPECT_TRUE(w.detach(held[which]->handle).ok()) << w.failure();
      held[which].reset();
    } else {
      held[which] = w.attach(buffers[which]);
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const std::vector<disp> places = all_of(held[i] ? held[i]->first : disp{~std::uint64_t{0}});
      const disp place = of(places, there());
      if (place.value == ~std::uint64_t{0}) continue;
      const std::size_t first = random() % 5000, n = 1 + random() % (5000 - first);
      const std::vector<int> given(n, static_cast<int>(random() % 1'000'000));
      std::vector<int> got(n);
      auto epoch = w.lock_all();
      EXPECT_TRUE(w.put(there(), disp{place.value + first}, std::span(given)).ok());
      EXPECT_TRUE(w.flush(there()).ok()) << w.failure();
      EXPECT_TRUE(w.get(there(), disp{place.value + first}, std::span(got)).ok());
      EXPECT_TRUE(w.flush(there()).ok()) << w.failure();
      EXPECT_EQ(got, given);
    }
    world().barrier().or_throw();
  }
}

}  // namespace
}  // namespace oriel::testing
