// Many small operations before a flush, in windows that gather them and in others.
#include "tests/faults/random/works.hpp"

namespace oriel::testing::works {
namespace {

struct burst {
  int target;
  int operations;
  bool flushes;
};
std::vector<burst> script(const workplace& p, int place) {
  dice d = p.of(place);
  std::vector<burst> bursts(5 + d.below(30));
  for (burst& b : bursts)
    b = {d.pick(p.self.size()), static_cast<int>(1 + d.below(300)), d.one_in(4)};
  return bursts;
}

}  // namespace

// Single adds, and ones whose results come with the flush: none is lost, none performed twice.
void stream_small_operations(workplace& p) {
  dice d = p.common();
  held_window& h = p.windows.one_for(assertion::shared_lock, d);
  p.clear_sums(h);
  p.self.step("lock_all", participant::any, h.number);
  auto all = h.w.lock_all();
  p.met_by_all(h, all.opened());
  p.self.begin_stream(h.number);
  for (const burst& b : script(p, p.self.my_place())) {
    const rank target{b.target};
    const auto before = p.result(static_cast<std::size_t>(b.operations));
    p.self.step("a stream of adds", b.target, h.number);
    for (element& found : before) {
      p.met(h, h.w.add(target, h.at(b.target, layout::counters), 1), b.target);
      p.met(h, h.w.fetch_add_nbi(target, h.at(b.target, layout::counters + 1), 1, found), b.target);
    }
    if (!b.flushes) continue;
    p.flush(h, b.target);
    for (std::size_t i = 1; i < before.size(); ++i)
      p.self.expect(before[i] > before[i - 1], "a deferred fetch_add gave " +
                                                   std::to_string(before[i]) + " after " +
                                                   std::to_string(before[i - 1]));
  }
  p.flush(h, participant::any);
  p.self.end_stream();
  p.meet();
  element sum = 0;
  for (int r = 0; r < p.self.size(); ++r)
    for (const burst& b : script(p, r))
      if (b.target == p.self.my_place()) sum += static_cast<element>(b.operations);
  p.expect_sum(h, layout::counters, sum, "added in streams");
  p.expect_sum(h, layout::counters + 1, sum, "fetched and added in streams");
  p.self.step("unlock_all", participant::any, h.number);
  p.met_by_all(h, all.end());
  p.meet();
}

}  // namespace oriel::testing::works
