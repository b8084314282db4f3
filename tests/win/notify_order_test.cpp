// Under ordered_notify a notification passes nothing that was begun before it, however that
// travels: the target looks at once, and origins read what the target changes at once.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <vector>

#include "tests/support/job.hpp"
#include "tests/support/seed.hpp"

namespace oriel::testing {
namespace {

using word = std::uint64_t;

constexpr auto promise = assertion::shared_lock | assertion::notify | assertion::ordered_notify |
                         assertion::multi_element | assertion::user_datatype |
                         assertion::local_load_store;

// Everything is done to a part of its own, from its first element on; the last part is read.
enum class way {
  single,
  span,
  layout,
  accumulate,
  accumulate_span,
  list,
  notified,
  last = notified
};
constexpr std::size_t ways = static_cast<std::size_t>(way::last) + 1;
constexpr std::size_t part = 1u << 15;
constexpr std::size_t begin_of(std::size_t of) {
  return of * part;
}
constexpr std::size_t begin_of(way of) {
  return begin_of(static_cast<std::size_t>(of));
}
constexpr std::size_t read_from = begin_of(ways);

struct step {
  way by;
  std::size_t n;  // elements; every second one of a layout
};

// What an origin does in one turn: the same on both ranks.
struct turn {
  std::vector<step> steps;
  bool reads;
  step notified;
  bool as_layout;  // the notified put

  turn(std::uint64_t seed, int origin, word number) {
    std::seed_seq parts{static_cast<word>(seed), static_cast<word>(origin), number};
    std::mt19937 draw(parts);
    const auto size = [&] {
      constexpr std::size_t most[] = {1, 2, 100, 3000, part / 2};
      return 1 + draw() % most[draw() % std::size(most)];
    };
    std::vector<way> order;
    for (std::size_t i = 0; i + 1 < ways; ++i) order.push_back(static_cast<way>(i));
    std::shuffle(order.begin(), order.end(), draw);
    order.resize(1 + draw() % 4);
    for (const way by : order) steps.push_back({by, size()});
    reads = draw() % 2 == 0;
    notified = {way::notified, draw() % 3 == 0 ? 0 : size()};
    as_layout = draw() % 2 == 0;
  }
};

class partners {
 public:
  explicit partners(bool aggregate) : window_(allocate(aggregate)) {}

  [[nodiscard]] auto& window() { return window_; }
  [[nodiscard]] rank partner() const { return partner_; }

  void begin(const turn& t, word number) {
    values_.assign(part, number);
    notified_.assign(part, number);
    for (const step& s : t.steps) ASSERT_TRUE(begin(s, number).ok()) << window_.failure();
    if (t.reads) {
      got_.assign(part, ~word{0});
      ASSERT_TRUE(window_.get(partner_, disp{read_from}, std::span(got_)).ok())
          << window_.failure();
    }
    const disp at{begin_of(way::notified)};
    const std::span<const word> all(notified_.data(), t.notified.n);
    const status done = t.notified.n == 0 ? window_.notify(partner_, 0)
                        : t.as_layout
                            ? window_.put_notify(partner_, at, notified_.data(),
                                                 dense(t.notified.n), spread(t.notified.n), 0)
                            : window_.put_notify(partner_, at, all, 0);
    ASSERT_TRUE(done.ok()) << window_.failure();
    std::fill_n(notified_.begin(), t.notified.n, ~word{0});  // they are reusable
  }

  // The target's part: all is there, and what was read is not what is written now.
  void look(const turn& t, word number) {
    ASSERT_TRUE(window_.wait_notify(0, number, most).ok()) << window_.failure();
    const std::span<word> mine = window_.local();
    for (const step& s : t.steps) expect(mine, s, number, false);
    if (t.notified.n != 0) expect(mine, t.notified, number, t.as_layout);
    std::fill_n(mine.begin() + read_from, part, number);
    std::fill_n(mine.begin() + begin_of(way::accumulate), 2 * part, word{0});
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ASSERT_TRUE(window_.notify(partner_, 1).ok()) << window_.failure();
  }

  void end(const turn& t, word number) {
    ASSERT_TRUE(window_.flush_all().ok()) << window_.failure();
    for (std::size_t i = 0; t.reads && i < part; ++i) ASSERT_EQ(got_[i], number - 1) << i;
    ASSERT_TRUE(window_.wait_notify(1, number, most).ok()) << window_.failure();
  }

 private:
  // A partner that has failed does not notify.
  static constexpr std::chrono::milliseconds most{20'000};
  using typed = oriel::window<word, promise>;
  static typed allocate(bool aggregate) {
    window_options options;
    options.aggregate = aggregate;
    return typed::allocate(world(), (ways + 1) * part, options);
  }
  static shape dense(std::size_t n) { return {datatype::contiguous(n, datatype::of<word>()), 1}; }
  static shape spread(std::size_t n) {
    return {datatype::vector(n, 1, 2, datatype::of<word>()), 1};
  }

  status begin(const step& s, word number) {
    const disp at{begin_of(s.by)};
    const std::span<const word> all(values_.data(), s.n);
    switch (s.by) {
      case way::single:
        for (word i = 0; i < s.n % 128; ++i)
          if (const status e = window_.put(partner_, disp{at.value + i}, number); !e.ok()) return e;
        return {};
      case way::span:
        return window_.put(partner_, at, all);
      case way::layout:
        return window_.put(partner_, at, values_.data(), dense(s.n), spread(s.n));
      case way::accumulate:
        return window_.accumulate(atomic_op::sum, partner_, at, number);
      case way::accumulate_span:
        return window_.accumulate(atomic_op::max, partner_, at, all);
      case way::list:
        return window_.scatter(std::vector(s.n, partner_), places(at, s.n), all);
      case way::notified:
        break;
    }
    return errc::arg;
  }
  static std::vector<disp> places(disp from, std::size_t n) {
    std::vector<disp> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = disp{from.value + i};
    return all;
  }
  static void expect(std::span<const word> mine, const step& s, word number, bool as_layout) {
    const std::size_t first = begin_of(s.by);
    const std::size_t n = s.by == way::single ? s.n % 128 : s.by == way::accumulate ? 1 : s.n;
    const std::size_t apart = as_layout || s.by == way::layout ? 2 : 1;
    for (std::size_t i = 0; i < n; ++i) {
      const word found = mine[first + apart * i];
      if (s.by == way::accumulate)
        ASSERT_GE(found, number) << "it was added once or more";
      else
        ASSERT_EQ(found, number) << "way " << static_cast<int>(s.by) << ", element " << i << " of "
                                 << s.n;
    }
  }

  // On another node, and not the one there that performs this rank's packets for all.
  rank partner_{ranks() - 1 - me()};
  typed window_;
  std::vector<word> values_, notified_, got_;
};

TEST(NotifyOrder, PassesNothingThatWasBegunBefore) {
  std::uint64_t first = me() == 0 ? seed() : 0;
  world().broadcast(first, rank{0}).or_throw();
  SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(first));
  for (const bool aggregate : {false, true}) {
    partners both(aggregate);
    const auto epoch = both.window().lock_all();
    for (word number = 1; number <= 40 && !HasFatalFailure(); ++number) {
      const turn mine(first, me(), number), theirs(first, both.partner().value, number);
      both.begin(mine, number);
      both.look(theirs, number);
      both.end(mine, number);
    }
    world().barrier().or_throw();
  }
}

TEST(NotifyOrder, IsExplained) {
  auto w = window<word>::allocate(world(), 1, assertion::shared_lock | assertion::notify);
  const std::string text = w.explain();
  EXPECT_EQ(text.find("follow what they must not pass") != std::string::npos ||
                text.find("notifications leave once") != std::string::npos,
            spans_nodes())
      << text;
}

}  // namespace
}  // namespace oriel::testing
