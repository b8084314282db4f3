#include "tests/drivers/ptx/barriers.hpp"

#include <algorithm>
#include <span>

namespace oriel::test_driver::ptx {
namespace {

// The lane that a shuffle reads, by the PTX manual's rule; `inside` says whether it is in range.
unsigned source_of(std::uint8_t mode, unsigned lane, std::uint32_t b, std::uint32_t c,
                   bool& inside) {
  const unsigned by = b & 31u, clamp = c & 31u, segment = c >> 8 & 31u;
  const unsigned most = (lane & segment) | (clamp & ~segment & 31u);
  int source = 0;
  switch (mode) {
    case 0:
      source = static_cast<int>(lane) - static_cast<int>(by);
      inside = source >= static_cast<int>(most);
      break;
    case 1:
      source = static_cast<int>(lane + by);
      inside = source <= static_cast<int>(most);
      break;
    case 2:
      source = static_cast<int>(lane ^ by);
      inside = source <= static_cast<int>(most);
      break;
    default:
      source = static_cast<int>((lane & segment) | (by & ~segment & 31u));
      inside = source <= static_cast<int>(most);
  }
  return inside ? static_cast<unsigned>(source) : lane;
}

void shuffle(std::span<thread> warp, const instruction& i, std::uint32_t mask) {
  std::array<std::uint64_t, lanes> values{};
  std::array<bool, lanes> inside{};
  for (thread& t : warp) {
    if ((mask >> t.lane & 1u) == 0 || t.state == standing::ended) continue;
    bool within = false;
    const unsigned from = source_of(i.variant, t.lane, get<std::uint32_t>(t, i.op[2]),
                                    get<std::uint32_t>(t, i.op[3]), within);
    if (from >= warp.size() || (mask >> from & 1u) == 0 || warp[from].state == standing::ended)
      throw error(i.line, "lane " + std::to_string(t.lane) + " reads lane " + std::to_string(from) +
                              ", which takes no part");
    values[t.lane] = bits_of(warp[from], i.op[1]);
    inside[t.lane] = within;
  }
  for (thread& t : warp) {
    if ((mask >> t.lane & 1u) == 0 || t.state == standing::ended) continue;
    set(t, i.op[0], values[t.lane]);
    if (i.vector[0].what == operand::kind::reg) set<bool>(t, i.vector[0], inside[t.lane]);
  }
}

void vote(std::span<thread> warp, const instruction& i, std::uint32_t mask) {
  std::uint32_t asked = 0, yes = 0;
  for (const thread& t : warp) {
    if ((mask >> t.lane & 1u) == 0 || t.state == standing::ended) continue;
    asked |= 1u << t.lane;
    if (holds(t, i.op[1])) yes |= 1u << t.lane;
  }
  for (thread& t : warp) {
    if ((asked >> t.lane & 1u) == 0) continue;
    switch (i.variant - first_vote) {
      case 0:
        set<std::uint32_t>(t, i.op[0], yes);
        break;
      case 1:
        set<bool>(t, i.op[0], yes != 0);
        break;
      case 2:
        set<bool>(t, i.op[0], yes == asked);
        break;
      default:
        set<bool>(t, i.op[0], yes == asked || yes == 0);
    }
  }
}

// What each of them has written or seen before, all see.
template <class Meets>
void meet(std::span<thread> threads, Meets meets) {
  sight all;
  for (thread& t : threads)
    if (meets(t)) t.view.leave_at(all);
  for (thread& t : threads)
    if (meets(t)) t.view.take_from(all);
}

}  // namespace

void complete_warp_barrier(block& b, unsigned warp) {
  const std::size_t first = std::size_t{warp} * lanes;
  const std::span all(b.threads.data() + first,
                      std::min<std::size_t>(lanes, b.threads.size() - first));
  for (const thread& one : all) {
    if (one.state != standing::at_warp_barrier) continue;
    const std::uint32_t mask = one.awaited;
    const instruction& at = *one.pc;
    const bool complete = std::ranges::all_of(all, [&](const thread& t) {
      return (mask >> t.lane & 1u) == 0 || t.state == standing::ended ||
             (t.state == standing::at_warp_barrier && t.pc == &at && t.awaited == mask);
    });
    if (!complete) continue;
    if (at.variant >= first_vote)
      vote(all, at, mask);
    else if (at.variant != warp_barrier_alone)
      shuffle(all, at, mask);
    else
      meet(all, [&](const thread& t) {
        return (mask >> t.lane & 1u) != 0 && t.state == standing::at_warp_barrier;
      });
    for (thread& t : all)
      if ((mask >> t.lane & 1u) != 0 && t.state == standing::at_warp_barrier) {
        t.state = standing::running;
        ++t.pc;
      }
  }
}

void complete_block_barrier(block& b) {
  if (b.waiting == 0 || b.waiting + b.ended < b.threads.size()) return;
  const auto waits = [](const thread& t) { return t.state == standing::at_block_barrier; };
  meet(b.threads, waits);
  for (thread& t : b.threads) {
    if (!waits(t)) continue;
    if (t.pc->op[0].what == operand::kind::reg) set(t, t.pc->op[0], b.counted);
    t.state = standing::running;
    ++t.pc;
  }
  b.counted = b.waiting = 0;
}

}  // namespace oriel::test_driver::ptx
