// Pushes to and pops from one part of a queue, in every order of the threads' steps: it is
// linearizable, full and empty too; and a thread that dies between its claim and its end holds up
// others for a bounded time.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "oriel/queue/part.hpp"
#include "tests/support/interleavings.hpp"

namespace oriel::detail {
namespace {

using word = std::uint64_t;
using testing::any_number;
using testing::interleavings;
using testing::progress;
using testing::state;

// Also where the counters say what no rank has done: pops of which a phase's end was not told.
static_assert(queue_layout{.capacity = 4}.room(queue_end::tail, 3, 9) == 4);

enum class act { push, pop };
// Of up to n elements: pushes are of value, value + 1 and so on.
struct call {
  act what;
  word value = 0;
  word n = 1;
};

class stepped_runs : public testing::stepped_words<false> {
 public:
  using stepped_words::stepped_words;
  void read(word i, word n, word* to) const {
    for (word k = 0; k < n; ++k) to[k] = load(i + k);
  }
  void publish(word i, word n, const word* from) {
    for (word k = 0; k < n; ++k) stepped_words::publish(i + k, from[k]);
  }
  static bool failed() { return false; }
};

// What a call gives: how many elements, and their values as digits.
template <word Capacity>
struct ring {
  using call = detail::call;
  using model = std::deque<word>;
  static constexpr queue_layout layout{Capacity, 1};
  static constexpr word base = 100;

  static bool advance(state& s, progress& p, const call& c) {
    stepped_runs words(s, p);
    queue_part<stepped_runs&> part(words, layout);
    queue_claim had;
    word values = 0;
    try {
      if (c.what == act::push) {
        had = part.template claim<queue_end::tail>(c.n);
        for (word i = 0; i < had.n; ++i)
          words.stepped_words::publish(at(had.first + i), c.value + i);
        if (had.n > 0) part.template publish<queue_end::tail>(had);
      } else {
        had = part.template claim<queue_end::head>(c.n);
        for (word i = 0; i < had.n; ++i) values = values * base + words.load(at(had.first + i));
        if (had.n > 0) part.template publish<queue_end::head>(had);
      }
    } catch (const testing::next_step&) {
      return false;
    }
    p.end_call(had.n, values);
    return true;
  }
  static std::pair<word, word> perform(model& m, const call& c) {
    word n = 0, values = 0;
    for (; n < c.n && (c.what == act::push ? m.size() < Capacity : !m.empty()); ++n) {
      if (c.what == act::push) {
        m.push_back(c.value + n);
      } else {
        values = values * base + m.front();
        m.pop_front();
      }
    }
    return {n, values};
  }
  static bool holds(const state& s, const model& wanted) {
    const word head = s.memory[layout.counter_at(queue_end::head)];
    model found;
    for (word p = head; p < s.memory[layout.counter_at(queue_end::tail)]; ++p) {
      if (s.memory[layout.mark_at(p % Capacity)] != 2 * p + 1) return false;
      found.push_back(s.memory[at(p)]);
    }
    for (word p = head + found.size(); p < head + Capacity; ++p)
      if (s.memory[layout.mark_at(p % Capacity)] != 2 * p) return false;
    return found == wanted;
  }
  static constexpr word at(word position) { return layout.element_at(position % Capacity); }

  // With as many elements as `known`, from position `head` on.
  static state filled(word head, const model& known) {
    state s;
    s.memory.resize(layout.words());
    const word tail = head + known.size();
    s.memory[layout.counter_at(queue_end::head)] = head;
    s.memory[layout.counter_at(queue_end::tail)] = tail;
    for (word p = head; p < head + Capacity; ++p) {
      s.memory[layout.mark_at(p % Capacity)] = p < tail ? 2 * p + 1 : 2 * p;
      if (p < tail) s.memory[at(p)] = known[p - head];
    }
    return s;
  }
};

template <word Capacity>
void expect_right(const std::deque<word>& known, const std::vector<std::vector<call>>& threads,
                  int most_switches = any_number) {
  using part = ring<Capacity>;
  for (const word head : {0, 1}) {
    const interleavings<part> all(part::filled(head, known), known, threads, most_switches);
    EXPECT_EQ(all.wrong(), "");
    EXPECT_GT(all.states(), 10u);
  }
}

constexpr auto push = act::push;
constexpr auto pop = act::pop;

TEST(QueueInterleavings, OneSlotIsHandedOn) {
  expect_right<1>({}, {{{push, 1}}, {{push, 2}}, {{pop}}});
  expect_right<1>({}, {{{push, 1}, {push, 2}}, {{pop}, {pop}}});
  expect_right<1>({5}, {{{pop}}, {{pop}}, {{push, 1}}});
  expect_right<1>({5}, {{{push, 1}, {pop}}, {{pop}, {push, 2}}});
}

TEST(QueueInterleavings, EmptyAndFullWereSo) {
  expect_right<2>({}, {{{push, 1}, {push, 2}}, {{pop}}, {{pop}}});
  expect_right<2>({5, 6}, {{{pop}, {pop}}, {{push, 1}}, {{push, 2}}});
  expect_right<2>({5}, {{{pop}, {push, 1}}, {{push, 2}, {pop}}});
}

TEST(QueueInterleavings, OrderIsThatOfThePushes) {
  expect_right<3>({}, {{{push, 1}, {push, 2}}, {{push, 3}}, {{pop}}});
  expect_right<3>({5}, {{{push, 1}}, {{pop}, {pop}}, {{pop}}});
}

// A batch's elements are claimed together where they can be.
TEST(QueueInterleavings, ABatchThatHasRoomIsOne) {
  expect_right<3>({}, {{{push, 1, 3}}, {{push, 7}}});
  expect_right<3>({5, 6, 7}, {{{pop, 0, 3}}, {{pop}}});
}

// Words whose owners wait three times.
class impatient_words {
 public:
  explicit impatient_words(std::vector<word>& memory) : memory_(&memory) {}
  [[nodiscard]] word load(word i) const { return (*memory_)[i]; }
  void read(word i, word n, word* to) const {
    for (word k = 0; k < n; ++k) to[k] = load(i + k);
  }
  word compare_swap(word i, word expected, word desired) {
    const word now = load(i);
    if (now == expected) (*memory_)[i] = desired;
    return now;
  }
  void publish(word i, word n, const word* from) {
    for (word k = 0; k < n; ++k) (*memory_)[i + k] = from[k];
  }
  static bool pause(std::uint32_t attempt) { return attempt < 3; }
  static bool failed() { return false; }

 private:
  std::vector<word>* memory_;
};

TEST(QueuePart, AClaimWhoseThreadHasDiedEndsTheWaitOfOthers) {
  using part = ring<2>;
  std::vector<word> memory = part::filled(4, {7}).memory;
  queue_part<impatient_words> p(impatient_words(memory), part::layout);
  const queue_claim dead = p.claim<queue_end::head>(1);  // and no more
  EXPECT_EQ(dead.n, 1u);
  EXPECT_EQ(p.claim<queue_end::head>(1).n, 0u);
  EXPECT_FALSE(p.claim<queue_end::head>(1).stalled) << "empty";
  const queue_claim next = p.claim<queue_end::tail>(2);
  EXPECT_EQ(next.n, 1u) << "the slot that is free";
  p.publish<queue_end::tail>(next);
  const queue_claim held = p.claim<queue_end::tail>(1);
  EXPECT_TRUE(held.stalled);
  EXPECT_EQ(held.n, 0u);
  EXPECT_EQ(p.claim<queue_end::head>(2).n, 1u);
}

}  // namespace
}  // namespace oriel::detail
