// Active target: fences, and post, start, complete, wait.
#include <algorithm>

#include "tests/faults/random/works.hpp"

namespace oriel::testing::works {
namespace {

// From one element to a whole region, by whatever call fits.
std::size_t some_elements(dice& d) {
  static constexpr std::size_t sizes[] = {1, 1, 7, 8, 9, 64, 500, layout::region};
  return sizes[d.below(std::size(sizes))];
}

status put(workplace& p, held_window& h, int target, std::uint64_t turn, std::size_t n) {
  const auto from = p.source(target, turn, n);
  const auto at = h.at(target, layout::region * static_cast<std::size_t>(p.self.my_place()));
  p.self.step("put", target, h.number);
  return n == 1 ? h.w.put(rank{target}, at, from[0])
                : h.w.put(rank{target}, at, std::span<const element>(from));
}

std::vector<rank> all_but_me(const workplace& p) {
  std::vector<rank> others;
  for (int r = 0; r < p.self.size(); ++r)
    if (r != p.self.my_place()) others.emplace_back(r);
  return others;
}

}  // namespace

void put_in_fences(workplace& p) {
  dice d = p.common();
  held_window& h = p.windows.one_for(assertion::fence | assertion::multi_element, d);
  const std::size_t n = some_elements(d);
  p.fence(h);
  const std::uint64_t turns = 2 + d.below(6);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    for (int i = 0; i < p.self.size(); ++i) {
      const int target = (p.self.my_place() + i) % p.self.size();
      p.met(h, put(p, h, target, turn, n), target);
    }
    p.fence(h);
    for (int r = 0; r < p.self.size(); ++r) p.expect_pattern(h, r, turn, n);
    p.fence(h);
  }
}

void accumulate_in_fences(workplace& p) {
  dice d = p.common();
  held_window& h = p.windows.one_for(assertion::fence | assertion::multi_element, d);
  const std::uint64_t turns = 5 + d.below(30);
  p.clear_sums(h);
  p.fence(h);
  const std::vector<element> one(layout::several, 1);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const int target = static_cast<int>((static_cast<std::uint64_t>(p.self.my_place()) + turn) %
                                        static_cast<std::uint64_t>(p.self.size()));
    p.self.step("accumulate", target, h.number);
    p.met(h, h.w.add(rank{target}, h.at(target, layout::counters), turn), target);
    p.self.step("accumulate several", target, h.number);
    p.met(h, h.w.accumulate(atomic_op::sum, rank{target}, h.at(target, layout::sums), one), target);
  }
  p.fence(h);
  element expected = 0, times = 0;
  for (int origin = 0; origin < p.self.size(); ++origin)
    for (std::uint64_t turn = 0; turn < turns; ++turn)
      if ((static_cast<std::uint64_t>(origin) + turn) % static_cast<std::uint64_t>(p.self.size()) ==
          static_cast<std::uint64_t>(p.self.my_place())) {
        expected += turn;
        ++times;
      }
  p.expect_sum(h, layout::counters, expected, "the sum of a fence epoch");
  p.expect_sum(h, layout::sums + layout::several - 1, times, "the last of several sums");
  p.fence(h);
}

void put_around_a_ring(workplace& p) {
  dice d = p.common();
  held_window& h = p.windows.one_for(assertion::pscw | assertion::multi_element, d);
  const std::size_t n = some_elements(d);
  const rank next = p.self.members().next(), previous = p.self.members().previous();
  p.meet();
  const std::uint64_t turns = 5 + d.below(20);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    p.self.step("post", previous.value, h.number);
    p.met_by_all(h, h.w.post(std::span(&previous, 1)));
    p.self.step("start", next.value, h.number);
    auto access = h.w.start(std::span(&next, 1));
    p.met_by_all(h, access.opened());
    p.met(h, put(p, h, next.value, turn, n), next.value);
    p.self.step("complete", next.value, h.number);
    p.met(h, access.end(), next.value);
    p.self.step("wait", previous.value, h.number);
    p.met_by_all(h, h.w.wait());
    p.expect_pattern(h, previous.value, turn, n);
  }
  p.meet();
}

void put_to_all_who_posted(workplace& p) {
  if (p.self.size() == 1) return;
  dice d = p.common();
  held_window& h = p.windows.one_for(assertion::pscw | assertion::multi_element, d);
  const std::size_t n = some_elements(d);
  const auto others = all_but_me(p);
  p.meet();
  const std::uint64_t turns = 3 + d.below(8);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    p.self.step("post to all", participant::any, h.number);
    p.met_by_all(h, h.w.post(others));
    p.self.step("start to all", participant::any, h.number);
    auto access = h.w.start(others);
    p.met_by_all(h, access.opened());
    // All of them, whatever becomes of one: who gives up ends the epoch too, and the targets expect
    // everything behind that.
    std::vector<status> outcomes;
    for (const rank r : others) outcomes.push_back(put(p, h, r.value, turn, n));
    for (std::size_t i = 0; i < others.size(); ++i) p.met(h, outcomes[i], others[i].value);
    p.self.step("complete to all", participant::any, h.number);
    p.met_by_all(h, access.end());
    p.self.step("wait for all", participant::any, h.number);
    p.met_by_all(h, h.w.wait());
    for (const rank r : others) p.expect_pattern(h, r.value, turn, n);
  }
  p.meet();
}

}  // namespace oriel::testing::works
