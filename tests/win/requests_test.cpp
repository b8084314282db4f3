// Requests of operations that compose: then, when_all and tasks, on a node and between nodes.
#include <numeric>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using word = std::uint64_t;
constexpr assertion_set several =
    assertion::shared_lock | assertion::local_load_store | assertion::multi_element;

// Whether operations are held back.
bool opposed() {
  const char* const seed = std::getenv("ORIEL_ADVERSARY");
  return seed != nullptr && std::string_view(seed) != "0";
}

class Requests : public ::testing::Test {
 protected:
  Requests() {
    std::iota(w_.local().begin(), w_.local().end(), static_cast<word>(me()) * 1000);
    world().barrier().or_throw();
  }
  ~Requests() override {
    static_cast<void>(epoch_.end());
    world().barrier().or_throw();
  }
  static word first_of(rank r) { return static_cast<word>(r.value) * 1000; }

  window<word, several> w_ = window<word, several>::allocate(world(), 256);
  epoch epoch_ = w_.lock_all();
  rank next_ = world().next();
};

TEST_F(Requests, AreFollowedByWhatComesNext) {
  std::vector<word> got(16);
  auto moved = w_.rget(next_, disp{16}, got).then([&] {
    for (word& x : got) x += 5;
    return w_.rput(next_, disp{128}, got);
  });
  EXPECT_TRUE(moved.wait().ok()) << w_.failure();
  w_.flush(next_).or_throw();
  world().barrier().or_throw();
  EXPECT_EQ(w_.local()[128], first_of(world().me()) + 16 + 5);
  EXPECT_EQ(w_.local()[143], first_of(world().me()) + 31 + 5);
}

TEST_F(Requests, AreWaitedForTogether) {
  std::vector<word> a(8), b(8);
  EXPECT_TRUE(when_all(w_.rget(next_, disp{0}, a), w_.rget(rank{0}, disp{8}, b)).wait().ok());
  EXPECT_EQ(a[7], first_of(next_) + 7);
  EXPECT_EQ(b[7], 15u);
  std::vector<word> each(64);
  std::vector<request> many;
  for (std::size_t i = 0; i < each.size(); ++i)
    many.push_back(w_.rget(next_, disp{i}, std::span(&each[i], 1)));
  while (!when_all(many).test()) {
  }
  EXPECT_TRUE(when_all(many).wait().ok());
  EXPECT_EQ(each[63], first_of(next_) + 63);
}

TEST_F(Requests, ReturnTheirFailures) {
  std::vector<word> got(2);
  request refused(errc::rank);
  bool called = false;
  EXPECT_EQ(
      when_all(w_.rget(next_, disp{0}, got), std::move(refused).then([&called] { called = true; }))
          .wait()
          .code(),
      errc::rank);
  EXPECT_FALSE(called);
}

// Follows a chain of displacements through the ranks: one get after the other, many chains at once.
task<word> follow(window<word, several>& w, rank at, word i, int steps) {
  for (int s = 0; s < steps; ++s) {
    word here = 0;
    (co_await w.rget(at, disp{i}, std::span(&here, 1))).or_throw();
    at = rank{(at.value + 1) % ranks()};
    i = here % 256;
  }
  co_return i;
}

TEST_F(Requests, AreAwaitedByManyTasks) {
  std::vector<task<word>> chains;
  constexpr int steps = 5;
  for (word c = 0; c < 40; ++c) chains.push_back(follow(w_, next_, c, steps));
  EXPECT_TRUE(when_all(chains).wait().ok());
  for (word c = 0; c < 40; ++c) {
    word i = c;
    for (int s = 0; s < steps; ++s)
      i = (static_cast<word>((next_.value + s) % ranks()) * 1000 + i) % 256;
    EXPECT_EQ(chains[c].get(), i) << c;
  }
}

task<status> first_failure(window<word, several>& w, std::vector<word>& into) {
  const status far = co_await w.rget(rank{0}, disp{0}, into).then([] { return errc::count; });
  co_return far;
}
TEST_F(Requests, GiveTasksTheirStatus) {
  std::vector<word> into(4);
  EXPECT_EQ(first_failure(w_, into).get().code(), errc::count);
  EXPECT_EQ(into[3], 3u);
}

// Its buffer goes with it, and so does the request.
TEST_F(Requests, OfATaskThatIsDestroyedAreCompleteBefore) {
  const auto reads = [](window<word, several>& w, rank from, int& ended) -> task<> {
    std::vector<word> buffer(256);
    (co_await w.rget(from, disp{0}, buffer)).or_throw();
    (co_await w.rget(from, disp{0}, buffer)).or_throw();
    ++ended;
  };
  int ended = 0;
  for (int i = 0; i < 50; ++i) {
    const auto t = reads(w_, next_, ended);
  }
  if (!spans_nodes() && !opposed()) {
    EXPECT_EQ(ended, 50);  // nothing to wait for
  }
}

// A rank that waits in a task serves the requests of others: all do at once.
TEST_F(Requests, AreServedByRanksThatWaitInTasks) {
  std::vector<word> memory(64, static_cast<word>(me()));
  auto own = window<word, several>::create(world(), memory);
  auto epoch = own.lock_all();
  const auto copies = [](window<word, several>& w, rank from) -> task<word> {
    std::vector<word> buffer(64);
    word sum = 0;
    for (int i = 0; i < 20; ++i) {
      (co_await w.rget(from, disp{0}, buffer)).or_throw();
      sum += buffer[63];
    }
    co_return sum;
  };
  EXPECT_EQ(copies(own, next_).get(), 20u * static_cast<word>(next_.value));
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
