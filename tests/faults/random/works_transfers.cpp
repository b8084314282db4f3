// Passive target: puts and gets with flush, notified puts, requests.
#include <algorithm>

#include "tests/faults/random/works.hpp"

namespace oriel::testing::works {

void put_and_get_back(workplace& p) {
  dice d = p.common(), own = p.mine();
  held_window& h = p.windows.one_for(assertion::shared_lock | assertion::multi_element, d);
  const std::size_t mine = layout::region * static_cast<std::size_t>(p.self.my_place());
  p.meet();
  p.self.step("lock_all", participant::any, h.number);
  auto all = h.w.lock_all();
  p.met_by_all(h, all.opened());
  const std::uint64_t turns = 10 + d.below(30);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const int target = own.pick(p.self.size());
    const std::size_t n = 1 + own.below(own.one_in(3) ? layout::region : 16);
    const auto from = p.source(target, turn, n), back = p.result(n);
    p.self.step("put", target, h.number);
    p.met(h, h.w.put(rank{target}, h.at(target, mine), std::span<const element>(from)), target);
    p.flush(h, target);
    p.self.step("get", target, h.number);
    p.met(h, h.w.get(rank{target}, h.at(target, mine), back), target);
    p.self.step("flush_local", target, h.number);
    p.met(h, h.w.flush_local(rank{target}), target);
    p.self.expect(std::equal(from.begin(), from.end(), back.begin()),
                  "what was put to rank " + std::to_string(target) + " and flushed is not there");
  }
  // All to all, without a flush between.
  for (int r = 0; r < p.self.size(); ++r) {
    p.self.step("put", r, h.number);
    const auto from = p.source(r, 999, 300);
    p.met(h, h.w.put(rank{r}, h.at(r, mine), std::span<const element>(from)), r);
  }
  p.self.step("unlock_all", participant::any, h.number);
  p.met_by_all(h, all.end());
  p.meet();
  for (int r = 0; r < p.self.size(); ++r) p.expect_pattern(h, r, 999, 300);
}

void notify_all(workplace& p) {
  constexpr std::size_t counter = 3;
  constexpr std::uint64_t each = 10;
  dice d = p.common();
  held_window& h = p.windows.one_for(assertion::notify | assertion::shared_lock, d);
  const std::uint64_t before = h.w.notified(counter);
  const std::size_t mine = layout::region * static_cast<std::size_t>(p.self.my_place());
  p.meet();
  p.self.step("lock_all", participant::any, h.number);
  auto all = h.w.lock_all(d.one_in(2) ? nocheck : no_mode);
  p.met_by_all(h, all.opened());
  for (std::uint64_t turn = 0; turn < each; ++turn)
    for (int i = 1; i <= p.self.size(); ++i) {
      const int target = (p.self.my_place() + i) % p.self.size();
      p.self.step("put_notify", target, h.number);
      p.met(h,
            h.w.put_notify(rank{target}, h.at(target, mine + turn),
                           p.pattern(p.self.my_place(), target, 0, turn), counter),
            target);
    }
  p.self.step("wait_notify", participant::any, h.number);
  p.met_by_all(h,
               h.w.wait_notify(counter, before + each * static_cast<std::uint64_t>(p.self.size())));
  for (int r = 0; r < p.self.size(); ++r) p.expect_pattern(h, r, 0, each);
  p.self.step("unlock_all", participant::any, h.number);
  p.met_by_all(h, all.end());
  p.meet();
}

void use_requests(workplace& p) {
  dice d = p.common();
  held_window& h = p.windows.one_for(assertion::shared_lock | assertion::multi_element, d);
  const std::size_t mine = layout::region * static_cast<std::size_t>(p.self.my_place());
  const std::size_t n = 1 + d.below(200);
  p.clear_sums(h);
  p.self.step("lock_all", participant::any, h.number);
  auto all = h.w.lock_all();
  p.met_by_all(h, all.opened());
  const auto ones = p.result(layout::several);
  std::fill(ones.begin(), ones.end(), 1);
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    std::vector<request> begun;
    for (int r = 0; r < p.self.size(); ++r) {
      p.self.step("rput and raccumulate", r, h.number);
      begun.push_back(h.w.rput(rank{r}, h.at(r, mine), p.source(r, turn, n)));
      begun.push_back(h.w.raccumulate(atomic_op::sum, rank{r}, h.at(r, layout::sums), ones));
      begun.push_back(h.w.rget_accumulate(atomic_op::sum, rank{r},
                                          h.at(r, layout::sums + layout::several), ones,
                                          p.result(layout::several)));
    }
    for (std::size_t i = 0; i < begun.size(); ++i) {
      const int r = static_cast<int>(i / 3);
      p.self.step("wait for a request", r, h.number);
      p.met(h, begun[i].wait(), r);
    }
    p.flush(h, participant::any);
    std::vector<std::span<element>> back;
    begun.clear();
    for (int r = 0; r < p.self.size(); ++r) {
      p.self.step("rget", r, h.number);
      back.push_back(p.result(n));
      begun.push_back(h.w.rget(rank{r}, h.at(r, mine), back.back()));
    }
    for (int r = 0; r < p.self.size(); ++r) {
      const auto i = static_cast<std::size_t>(r);
      p.self.step("wait for rget", r, h.number);
      p.met(h, begun[i].wait(), r);
      const auto expected = p.source(r, turn, n);
      p.self.expect(std::equal(expected.begin(), expected.end(), back[i].begin()),
                    "rget of rank " + std::to_string(r) + " gave something else");
    }
  }
  p.self.step("unlock_all", participant::any, h.number);
  p.met_by_all(h, all.end());
  p.meet();
  const auto expected = 4 * static_cast<element>(p.self.size());
  p.expect_sum(h, layout::sums + 3, expected, "what raccumulate has added");
  p.expect_sum(h, layout::sums + layout::several, expected, "what rget_accumulate has added");
}

}  // namespace oriel::testing::works
