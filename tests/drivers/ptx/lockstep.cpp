#include "tests/drivers/ptx/lockstep.hpp"

#include <algorithm>

#include "tests/drivers/ptx/machine.hpp"

namespace oriel::test_driver::ptx {
namespace {

bool has_met(const thread& t, const side& s) {
  if (t.state == standing::ended || t.callers.size() < s.depth) return true;
  return s.meet != nullptr && t.callers.size() == s.depth && t.pc == s.meet;
}

// Every instruction's immediate post-dominator, of those that come after it in `order`, by Cooper,
// Harvey and Kennedy's way: the nearest that two have in common, until nothing changes.
std::vector<std::uint32_t> post_dominators(const function& f) {
  const auto n = static_cast<std::uint32_t>(f.code.size());
  const std::uint32_t unknown = n + 1;
  std::vector<std::vector<std::uint32_t>> next(n), from(n + 1);
  for (std::uint32_t i = 0; i < n; ++i) {
    const instruction& at = f.code[i];
    if (at.leads == flow::branch) next[i].push_back(at.target);
    if (at.leads == flow::leave) next[i].push_back(n);
    if (at.leads == flow::on || at.guard >= 0) next[i].push_back(i + 1);
    for (const std::uint32_t to : next[i]) from[to].push_back(i);
  }
  // Numbered from the end of the function, each after all that it is reached through.
  std::vector<std::uint32_t> order, number(n + 1, unknown), on_way(1, n), of_way(1, 0);
  std::vector<bool> seen(n + 1);
  seen[n] = true;
  while (!on_way.empty()) {
    const std::uint32_t at = on_way.back();
    if (of_way.back() == from[at].size()) {
      number[at] = static_cast<std::uint32_t>(order.size());
      order.push_back(at);
      on_way.pop_back();
      of_way.pop_back();
      continue;
    }
    const std::uint32_t before = from[at][of_way.back()++];
    if (seen[before]) continue;
    seen[before] = true;
    on_way.push_back(before);
    of_way.push_back(0);
  }
  std::vector<std::uint32_t> dominator(n + 1, unknown);
  dominator[n] = n;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (*at == n) continue;
      std::uint32_t common = unknown;
      for (std::uint32_t to : next[*at]) {
        if (dominator[to] == unknown) continue;
        for (std::uint32_t a = common; common != unknown && a != to;) {
          while (number[a] < number[to]) a = dominator[a];
          while (number[to] < number[a]) to = dominator[to];
          common = a;
        }
        common = to;
      }
      changed = changed || dominator[*at] != common;
      dominator[*at] = common;
    }
  }
  return dominator;
}

}  // namespace

const std::vector<std::uint32_t>& lockstep::meeting_places(const function& f) {
  const auto known = known_.find(&f);
  return known != known_.end() ? known->second
                               : known_.emplace(&f, post_dominators(f)).first->second;
}

std::uint32_t lockstep::next(sides& all, std::span<thread> warp) {
  for (;;) {
    if (all.empty()) all.push_back({~std::uint32_t{0} >> (lanes - warp.size()), nullptr, 0});
    std::uint32_t here = 0, able = 0, elsewhere = 0;
    const thread* waits = nullptr;
    for (const thread& t : warp) {
      const bool runs = t.state == standing::running;
      if ((all.back().lanes >> t.lane & 1u) == 0 || has_met(t, all.back())) {
        elsewhere |= (runs ? 1u : 0u) << t.lane;
        continue;
      }
      here |= 1u << t.lane;
      able |= (runs ? 1u : 0u) << t.lane;
      if (!runs) waits = &t;
    }
    if (here == 0 && elsewhere != 0) {
      all.pop_back();
      continue;
    }
    if (able == 0 && elsewhere != 0)
      throw error(waits->pc->line, "in lockstep, a barrier on one side of a branch");
    return able;
  }
}

void lockstep::parted(sides& all, std::span<thread> warp, std::uint32_t group, const instruction& i,
                      const function& in, std::size_t depth, schedule& turns) {
  const auto number = static_cast<std::size_t>(&i - in.code.data());
  const thread* first = nullptr;
  std::uint32_t one = 0, other = 0;
  for (const thread& t : warp) {
    if ((group >> t.lane & 1u) == 0) continue;
    if (first == nullptr) first = &t;
    const bool together =
        t.state == first->state && t.callers.size() == first->callers.size() && t.pc == first->pc;
    (together ? one : other) |= 1u << t.lane;
  }
  if (other == 0) return;
  const std::uint32_t place = meeting_places(in)[number];
  const instruction* const meet = place < in.code.size() ? &in.code[place] : nullptr;
  if (all.back().meet == meet && all.back().depth == depth) all.pop_back();
  if (turns.chance(2)) std::swap(one, other);
  all.push_back({other, meet, depth});
  all.push_back({one, meet, depth});
}

}  // namespace oriel::test_driver::ptx
