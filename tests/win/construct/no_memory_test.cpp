// A rank that runs out of memory while the ranks agree on a window: all fail alike, nobody waits
// for it, and the team is as good as before. Every allocation of the agreement fails once.
#include <cstdlib>
#include <new>

#include "tests/support/job.hpp"
#include "win/construct/agree.hpp"
#include "win/construct/ask.hpp"
#include "win/window_core.hpp"

namespace {

// How many more allocations of this thread succeed before one fails; negative: all do.
thread_local long allowed = -1;

void* allocate(std::size_t bytes) {
  if (allowed >= 0 && allowed-- == 0) throw std::bad_alloc();
  void* const p = std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocate(bytes);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}

namespace oriel::testing {
namespace {

// What the agreement comes to on this rank, on which allocation number `failing` fails (-1: none).
errc agree(std::size_t count, long failing, bool& failed) {
  detail::team_state& group = *world().state();
  const window_options options;
  win::construction c;
  c.count = count;
  c.base = datatype::of<std::uint64_t>();
  c.promised = assertion::fence;
  c.options = &options;
  const win::question asked = win::ask(c, group);
  allowed = failing;
  errc outcome = errc::success;
  try {
    static_cast<void>(win::agree(group, asked.request));
  } catch (const error& e) {
    outcome = e.code();
  } catch (const std::bad_alloc&) {
    outcome = errc::no_mem;  // of the error's own text
  }
  failed = failing >= 0 && allowed < 0;
  allowed = -1;
  return outcome;
}

void fail_each_allocation_in_turn(bool alike) {
  world();  // the session opens first
  for (int victim = 0; victim < ranks(); ++victim) {
    for (long n = 0;; ++n) {
      bool failed = false;
      const std::size_t count = alike || me() == 0 ? 8 : 16;
      const errc mine = agree(count, me() == victim ? n : -1, failed);
      const auto all = world().allgather(mine);
      const bool any_failed =
          world().allgather<char>(failed ? 1 : 0)[static_cast<std::size_t>(victim)] != 0;
      for (const errc each : all)
        ASSERT_EQ(each, all.front()) << "allocation " << n << " of rank " << victim;
      EXPECT_TRUE(all.front() == errc::no_mem || all.front() == errc::success)
          << name(all.front()) << ", allocation " << n << " of rank " << victim;
      if (!any_failed) break;
    }
  }
}

TEST(NoMemory, FailsAllRanksAlikeThatAskForTheSame) {
  fail_each_allocation_in_turn(true);
}

TEST(NoMemory, FailsAllRanksAlikeThatAskForDifferentThings) {
  fail_each_allocation_in_turn(false);
}

}  // namespace
}  // namespace oriel::testing
