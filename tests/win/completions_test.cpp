// then, when_all and tasks, over completions that a test completes; requests_test.cpp has those of
// operations.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "oriel/task.hpp"
#include "oriel/when_all.hpp"

namespace {

std::size_t allocations = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocations;
  if (void* const p = std::malloc(n)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

namespace oriel {
namespace {

struct event {
  int rounds = 0;  // how often it is waited for, or tested, until it is complete
  status outcome = {};
  int waits = 0;
};

// Refers to an event.
class operation : public composable<operation> {
 public:
  explicit operation(event& of) : of_(&of) {}
  [[nodiscard]] bool test() noexcept { return of_->rounds == 0 || --of_->rounds == 0; }
  status wait() noexcept {
    if (of_->rounds != 0) ++of_->waits;
    of_->rounds = 0;
    return of_->outcome;
  }

 private:
  event* of_;
};
static_assert(completion<operation>);
static_assert(!completion<int> && !completion<void>);

constexpr int never = 1'000'000;  // but when it is waited for

TEST(Then, CallsOnceWhenTheFirstIsComplete) {
  event e{.rounds = 2};
  int calls = 0;
  auto c = operation(e).then([&calls] { ++calls; });
  EXPECT_FALSE(c.test());
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(c.test());
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(c.test());
  EXPECT_TRUE(c.wait().ok());
  EXPECT_TRUE(c.wait().ok());
  EXPECT_EQ(calls, 1);
}

TEST(Then, PassesFailuresByWhatTakesNoStatus) {
  event e{.rounds = never, .outcome = errc::peer_failed};
  bool called = false;
  auto c = operation(e).then([&called] { called = true; });
  EXPECT_EQ(c.wait().code(), errc::peer_failed);
  EXPECT_FALSE(called);
  auto told = operation(e).then([](status s) { return s.ok() ? errc::arg : errc::count; });
  EXPECT_EQ(told.wait().code(), errc::count);
  auto seen = operation(e).then([&called](status) { called = true; });
  EXPECT_EQ(seen.wait().code(), errc::peer_failed);
  EXPECT_TRUE(called);
}

TEST(Then, WaitsForTheCompletionThatIsReturned) {
  event first{.rounds = never}, second{.rounds = 3, .outcome = errc::rma_range};
  std::string order;
  auto c = operation(first)
               .then([&] {
                 order += "first ";
                 return operation(second);
               })
               .then([&order](status s) {
                 order += "second ";
                 return s;
               });
  EXPECT_FALSE(c.test());
  EXPECT_EQ(order, "");
  EXPECT_EQ(c.wait().code(), errc::rma_range);
  EXPECT_EQ(order, "first second ");
  EXPECT_EQ(first.waits, 1);
  EXPECT_EQ(second.rounds, 0);
}

TEST(Then, ThrowsWhatTheFunctionThrew) {
  event e{.rounds = 1};
  bool called = false;
  auto c = operation(e).then([] { throw std::runtime_error("no"); }).then([&called](status) {
    called = true;
  });
  EXPECT_TRUE(c.test());
  EXPECT_THROW(static_cast<void>(c.wait()), std::runtime_error);
  EXPECT_THROW(static_cast<void>(c.wait()), std::runtime_error);
  EXPECT_FALSE(called);
}

TEST(WhenAll, WaitsForAllAndReturnsTheFirstFailure) {
  event a{.rounds = never}, b{.rounds = never, .outcome = errc::arg},
      c{.rounds = never, .outcome = errc::count};
  operation named(b);
  auto all = when_all(operation(a), named, operation(c));
  EXPECT_FALSE(all.test());
  EXPECT_EQ(all.wait().code(), errc::arg);
  EXPECT_EQ(a.rounds + b.rounds + c.rounds, 0);
  EXPECT_TRUE(all.test());
}

TEST(WhenAll, OfARangeThatIsNamedOrMoved) {
  std::vector<event> events(5, event{.rounds = never});
  events[3].outcome = errc::size;
  std::vector<operation> operations;
  for (event& e : events) operations.emplace_back(e);
  auto named = when_all(operations);
  EXPECT_FALSE(named.test());
  EXPECT_EQ(named.wait().code(), errc::size);
  for (event& e : events) e.rounds = never;
  EXPECT_EQ(when_all(std::move(operations)).wait().code(), errc::size);
  EXPECT_TRUE(when_all(std::vector<operation>()).wait().ok());
}

TEST(WhenAll, GoesOnWithWhatFollowsEachOne) {
  event a{.rounds = 1}, after_a{.rounds = 1}, b{.rounds = never};
  bool both = false;
  auto all =
      when_all(operation(a).then([&] { return operation(after_a); }), operation(b)).then([&both] {
        both = true;
      });
  EXPECT_FALSE(all.test());
  EXPECT_EQ(after_a.rounds, 0) << "the second has not begun, though the first is complete";
  EXPECT_FALSE(both);
  EXPECT_TRUE(all.wait().ok());
  EXPECT_TRUE(both);
}

TEST(Completions, TakeNoMemory) {
  event a{.rounds = never}, b{.rounds = never};
  std::array<operation, 2> range{operation(a), operation(b)};
  const std::size_t before = allocations;
  static_cast<void>(when_all(operation(a).then([] {}), operation(b)).wait());
  static_cast<void>(when_all(range).wait());
  EXPECT_EQ(allocations, before);
}

// --- Tasks

task<int> added(event& a, event& b, std::string& order) {
  order += "begun ";
  const status first = co_await operation(a);
  order += "one ";
  const status second = co_await operation(b);
  order += "two ";
  co_return (first.ok() ? 1 : 0) + (second.ok() ? 10 : 0);
}

TEST(Task, RunsToItsFirstWaitAndOnWhenItIsWaitedFor) {
  event a{.rounds = never}, b{.rounds = never, .outcome = errc::arg};
  std::string order;
  auto t = added(a, b, order);
  EXPECT_EQ(order, "begun ");
  EXPECT_FALSE(t.test());
  EXPECT_EQ(t.get(), 1);
  EXPECT_EQ(order, "begun one two ");
  EXPECT_EQ(a.waits + b.waits, 2);
}

TEST(Task, DoesNotStopAtWhatIsComplete) {
  event a, b;
  std::string order;
  auto t = added(a, b, order);
  EXPECT_EQ(order, "begun one two ");
  EXPECT_TRUE(t.test());
  EXPECT_EQ(t.get(), 11);
}

TEST(Task, AwaitsTasks) {
  event a{.rounds = never}, b{.rounds = 2};
  std::string order;
  const auto outer = [](event& x, event& y, std::string& o) -> task<int> {
    const int inner = co_await added(x, y, o);
    o += "outer ";
    co_return inner * 2;
  };
  auto t = outer(a, b, order);
  auto moved = std::move(t);
  EXPECT_FALSE(t.valid());
  EXPECT_EQ(moved.get(), 22);
  EXPECT_EQ(order, "begun one two outer ");
}

task<> thrower(event& e) {
  (co_await operation(e)).or_throw();
}
task<status> catcher(event& e) {
  try {
    co_await thrower(e);
  } catch (const error& caught) {
    co_return caught.code();
  }
  co_return errc::success;
}

TEST(Task, ThrowsWhatItsBodyThrew) {
  event e{.rounds = never, .outcome = errc::timed_out};
  auto t = thrower(e);
  EXPECT_THROW(static_cast<void>(t.wait()), error);
  EXPECT_THROW(t.get(), error);
  e.rounds = never;
  EXPECT_EQ(catcher(e).wait().code(), errc::timed_out);
  auto threw = thrower(e);  // at once: e is complete
  EXPECT_TRUE(threw.test());
  EXPECT_THROW(threw.get(), error);
}

TEST(Task, OfSeveralEachGoesOnWhenItCan) {
  event a{.rounds = never}, b{.rounds = never}, c{.rounds = 2}, d{.rounds = 1};
  std::string slow, quick;
  auto first = added(a, b, slow);
  auto second = added(c, d, quick);
  auto all = when_all(first, second);
  EXPECT_FALSE(all.test());
  EXPECT_EQ(quick, "begun one two ");
  EXPECT_EQ(slow, "begun ");
  EXPECT_TRUE(all.wait().ok());
  EXPECT_EQ(first.get() + second.get(), 22);
  std::vector<task<status>> many;
  event f{.rounds = never, .outcome = errc::arg}, g{.rounds = never, .outcome = errc::arg};
  many.push_back(catcher(f));
  many.push_back(catcher(g));
  EXPECT_EQ(when_all(many).wait().code(), errc::arg);
  const auto waits = [](event& x, event& y) -> task<status> {
    co_return co_await when_all(operation(x), operation(y).then([] { return errc::count; }));
  };
  EXPECT_EQ(waits(a, b).wait().code(), errc::count);
}

struct noting {
  std::string& into;
  std::string what;
  ~noting() { into += what; }
};
TEST(Task, ThatIsDestroyedBeforeItsEndDestroysItsFrame) {
  event a{.rounds = never};
  std::string order;
  {
    const auto body = [](event& e, std::string& o) -> task<> {
      const noting outer{o, "destroyed "};
      co_await operation(e);
      o += "went on ";
    };
    auto t = body(a, order);
    EXPECT_FALSE(t.test());
  }
  EXPECT_EQ(order, "destroyed ");
  EXPECT_EQ(a.waits, 0);
}

TEST(Task, ThatHasBeenMovedFromThrows) {
  event a;
  const auto body = [](event& e) -> task<status> { co_return co_await operation(e); };
  auto from = body(a), to = std::move(from);
  EXPECT_FALSE(from.valid());
  EXPECT_TRUE(from.test());
  EXPECT_THROW(static_cast<void>(from.wait()), error);
  EXPECT_THROW(static_cast<void>(from.get()), error);
  EXPECT_THROW(static_cast<void>(when_all(to, from).wait()), error);
  EXPECT_TRUE(to.get().ok());
}

}  // namespace
}  // namespace oriel
