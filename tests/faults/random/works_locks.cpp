// Passive target: locks and atomics.
#include <algorithm>
#include <map>

#include "tests/faults/random/works.hpp"

namespace oriel::testing::works {
namespace {

// What one rank does, in order, as all can compute.
struct act {
  int target;
  int kind;
  element operand;
};
std::vector<act> script(const workplace& p, int place, int kinds) {
  dice d = p.of(place);
  std::vector<act> acts(20 + d.below(100));
  for (act& a : acts) a = {d.pick(p.self.size()), d.pick(kinds), d.below(1000)};
  return acts;
}
std::vector<act> own_script(const workplace& p, int kinds) {
  return script(p, p.self.my_place(), kinds);
}
// Over all that is done to this rank.
template <class Value>
element total(const workplace& p, int kinds, int kind, Value value) {
  element sum = 0;
  for (int r = 0; r < p.self.size(); ++r)
    for (const act& a : script(p, r, kinds))
      if (a.target == p.self.my_place() && a.kind == kind) sum += value(a);
  return sum;
}
element once(const act&) {
  return 1;
}
element operand_of(const act& a) {
  return a.operand;
}

}  // namespace

void count_under_exclusive_locks(workplace& p) {
  dice d = p.common();
  held_window& h = p.windows.one_for(assertion::exclusive_lock, d);
  p.clear_sums(h);
  for (const act& a : own_script(p, 1)) {
    const rank target{a.target};
    const disp at = h.at(a.target, layout::counters);
    p.self.step("lock exclusively", a.target, h.number);
    auto held = h.w.lock_exclusive(target);
    p.met_by_all(h, held.opened());
    p.self.step("get under a lock", a.target, h.number);
    element value = 0;
    p.met(h, h.w.get(target, at, value), a.target);
    p.self.step("put under a lock", a.target, h.number);
    p.met(h, h.w.put(target, at, value + 1), a.target);
    p.self.step("unlock", a.target, h.number);
    p.met(h, held.end(), a.target);
  }
  p.meet();
  p.expect_sum(h, layout::counters, total(p, 1, 0, once), "a counter under exclusive locks");
}

void accumulate_under_shared_locks(workplace& p) {
  dice d = p.common();
  held_window& h = p.windows.one_for(assertion::shared_lock, d);
  p.clear_sums(h);
  for (const act& a : own_script(p, 1)) {
    p.self.step("lock shared", a.target, h.number);
    auto held = h.w.lock_shared(rank{a.target});
    p.met_by_all(h, held.opened());
    p.self.step("accumulate under a lock", a.target, h.number);
    p.met(h, h.w.add(rank{a.target}, h.at(a.target, layout::counters), a.operand), a.target);
    p.self.step("unlock", a.target, h.number);
    p.met(h, held.end(), a.target);
  }
  p.meet();
  p.expect_sum(h, layout::counters, total(p, 1, 0, operand_of), "a sum under shared locks");
}

namespace {

constexpr int atomic_kinds = 5;

status perform(workplace& p, held_window& h, const act& a, std::map<int, element>& last) {
  const rank target{a.target};
  const auto at = [&](std::size_t i) { return h.at(a.target, i); };
  const auto counter = [&](int kind) {
    return at(layout::counters + static_cast<std::size_t>(kind));
  };
  switch (a.kind) {
    case 0:
      p.self.step("accumulate", a.target, h.number);
      return h.w.add(target, counter(0), a.operand);
    case 1: {
      p.self.step("fetch_op", a.target, h.number);
      element before = 0;
      const status e = h.w.fetch_op(atomic_op::sum, target, counter(1), 1, before);
      if (e.ok()) {
        const auto seen = last.find(a.target);
        p.self.expect(seen == last.end() || before > seen->second,
                      "fetch_op gave " + std::to_string(before) + " again");
        last[a.target] = before;
      }
      return e;
    }
    case 2: {
      element expected = 0;
      for (;;) {
        p.self.step("compare_swap", a.target, h.number);
        element before = 0;
        const status e = h.w.compare_swap(target, counter(2), expected, expected + 1, before);
        if (!e.ok() || before == expected) return e;
        expected = before;
      }
    }
    case 3: {
      const auto operands = p.result(layout::several);
      std::fill(operands.begin(), operands.end(), a.operand);
      p.self.step("accumulate several", a.target, h.number);
      return h.w.accumulate(atomic_op::sum, target, at(layout::sums), operands);
    }
    default: {
      const auto operands = p.result(layout::several), before = p.result(layout::several);
      std::fill(operands.begin(), operands.end(), a.operand);
      p.self.step("get_accumulate", a.target, h.number);
      return h.w.get_accumulate(atomic_op::sum, target, at(layout::sums + layout::several),
                                operands, before);
    }
  }
}

void expect_totals(workplace& p, held_window& h) {
  p.expect_sum(h, layout::counters, total(p, atomic_kinds, 0, operand_of), "accumulated");
  p.expect_sum(h, layout::counters + 1, total(p, atomic_kinds, 1, once), "fetched and added");
  p.expect_sum(h, layout::counters + 2, total(p, atomic_kinds, 2, once), "swapped");
  for (const std::size_t i : {std::size_t{0}, layout::several - 1}) {
    p.expect_sum(h, layout::sums + i, total(p, atomic_kinds, 3, operand_of), "several accumulated");
    p.expect_sum(h, layout::sums + layout::several + i, total(p, atomic_kinds, 4, operand_of),
                 "several got and accumulated");
  }
}

}  // namespace

void mix_atomics(workplace& p) {
  dice d = p.common(), own = p.common(static_cast<std::uint64_t>(p.self.my_place()) + 1);
  held_window& h = p.windows.one_for(assertion::shared_lock | assertion::multi_element, d);
  p.clear_sums(h);
  p.self.step("lock_all", participant::any, h.number);
  auto all = h.w.lock_all();
  p.met_by_all(h, all.opened());
  std::map<int, element> last;
  for (const act& a : own_script(p, atomic_kinds)) {
    p.met(h, perform(p, h, a, last), a.target);
    if (own.one_in(5)) p.flush(h, a.target);
  }
  p.flush(h, participant::any);
  p.meet();
  expect_totals(p, h);
  p.self.step("unlock_all", participant::any, h.number);
  p.met_by_all(h, all.end());
  p.meet();
}

void use_several_windows(workplace& p) {
  dice own = p.common(static_cast<std::uint64_t>(p.self.my_place()) + 1);
  std::vector<held_window*> able;
  for (std::size_t i = 0; i < p.windows.count(); ++i)
    if (p.windows[i].w.assertions().contains(assertion::shared_lock | assertion::multi_element))
      able.push_back(&p.windows[i]);
  for (held_window* h : able) p.clear_sums(*h);
  std::vector<epoch> all;
  for (held_window* h : able) {
    p.self.step("lock_all of several", participant::any, h->number);
    all.push_back(h->w.lock_all());
    p.met_by_all(*h, all.back().opened());
  }
  std::vector<std::map<int, element>> last(able.size());
  for (const act& a : own_script(p, atomic_kinds))
    for (std::size_t i = 0; i < able.size(); ++i) {
      p.met(*able[i], perform(p, *able[i], a, last[i]), a.target);
      if (own.one_in(9)) p.flush(*able[i], a.target);
    }
  for (held_window* h : able) p.flush(*h, participant::any);
  p.meet();
  for (held_window* h : able) expect_totals(p, *h);
  for (std::size_t i = 0; i < able.size(); ++i) {
    p.self.step("unlock_all of several", participant::any, able[i]->number);
    p.met_by_all(*able[i], all[i].end());
  }
  p.meet();
}

}  // namespace oriel::testing::works
