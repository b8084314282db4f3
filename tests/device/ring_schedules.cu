// Views and their ring in kernels, by many schedules of the test driver:
//
//   ring-schedules [--mix NAME] [--from SEED] [--seeds N] [--policy NAME] [--expect-failure]
//
// A failure prints the mix and the seed that repeat it. With --expect-failure some seed must fail:
// for kernels that ORIEL_TEST_MUTANT has broken. Exits with 77 where there is no test driver.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/device/scheduled_world.cuh"
#include "tests/gpu/schedules.hpp"

namespace {

using namespace oriel;
using oriel::testing::scheduled_ranks;
using oriel::testing::scheduled_views;
using oriel::testing::scheduled_world;
using word = oriel::testing::scheduled_word;
using view_type = window_view<word>;

constexpr unsigned threads = 64, rounds = 2;

// What a kernel found wrong: a line of its source, or 0.
__device__ void expect(bool holds, unsigned* wrong, unsigned line) {
  if (!holds) atomicMax(wrong, line);
}
#define EXPECT_THAT(condition) expect(condition, wrong, __LINE__)

// --- Puts, then a signal: several origins, several counters -------------------------------------
constexpr unsigned senders = 2;  // threads of a rank that send by themselves
constexpr unsigned of_all = 6;   // the counter that everybody signals
__host__ __device__ constexpr std::size_t signal_of(unsigned origin, unsigned sender) {
  return origin * senders + sender;
}
__host__ __device__ constexpr std::size_t receipt_of(unsigned target, unsigned sender) {
  return of_all + 1 + target * senders + sender;
}
static_assert(receipt_of(scheduled_ranks - 1, senders - 1) < scheduled_world::counters);
__device__ word tag_of(unsigned round, unsigned origin, unsigned sender) {
  return (round + 1) * 1000 + origin * 10 + sender;
}

__device__ void send(const view_type& view, unsigned sender, unsigned* wrong) {
  const auto me = static_cast<unsigned>(view.rank().value);
  const disp at{signal_of(me, sender) * 8};
  for (unsigned round = 0; round < rounds; ++round) {
    const word tag = tag_of(round, me, sender);
    const word row[3] = {tag, tag + 1, tag + 2};
    for (int d = 0; d < scheduled_ranks; ++d) {
      if (d == view.rank().value) continue;
      const oriel::rank to{d};
      EXPECT_THAT(view.wait_notify(scope::thread{}, receipt_of(d, sender), round) == errc::success);
      view.put(scope::thread{}, to, at, row, 3);
      view.put(to, disp{at.value + 3}, tag + 3);
      view.put_notify(to, disp{at.value + 4}, tag + 4, signal_of(me, sender));
      view.put_notify(scope::thread{}, to, disp{0}, nullptr, 0, of_all);
    }
  }
}
__device__ void receive(const view_type& view, unsigned origin, unsigned sender, unsigned* wrong) {
  const oriel::rank me = view.rank();
  const std::uint64_t at = signal_of(origin, sender) * 8;
  for (unsigned round = 0; round < rounds; ++round) {
    static_cast<void>(view.get(me, disp{at}));  // too early
    if (sender == 0)
      EXPECT_THAT(view.wait_notify(scope::thread{}, signal_of(origin, sender), round + 1) ==
                  errc::success);
    else
      while (view.notified(signal_of(origin, sender)) <= round) detail::device::pause();
    for (unsigned i = 0; i < 5; ++i)
      EXPECT_THAT(view.get(me, disp{at + i}) == tag_of(round, origin, sender) + i);
    view.put_notify(scope::thread{}, oriel::rank{static_cast<int>(origin)}, disp{0}, nullptr, 0,
                    receipt_of(me.value, sender));
  }
}
// Whoever waits for the signals of all sees what any of them has put.
__device__ void receive_all(const view_type& view, unsigned* wrong) {
  constexpr unsigned others = (scheduled_ranks - 1) * senders;
  const oriel::rank me = view.rank();
  EXPECT_THAT(view.wait_notify(scope::thread{}, of_all, rounds * others) == errc::success);
  for (unsigned origin = 0; origin < scheduled_ranks; ++origin)
    for (unsigned sender = 0; sender < senders && static_cast<int>(origin) != me.value; ++sender)
      for (unsigned i = 0; i < 5; ++i)
        EXPECT_THAT(view.get(me, disp{signal_of(origin, sender) * 8 + i}) ==
                    tag_of(rounds - 1, origin, sender) + i);
}
__global__ void signals(scheduled_views views, const word*, unsigned* wrong) {
  const view_type view(views.of[blockIdx.x]);
  const unsigned t = threadIdx.x;
  if (t < senders) return send(view, t, wrong);
  if (t == senders) return receive_all(view, wrong);
  if (t < 32 || t >= 32 + scheduled_ranks * senders) return;
  const unsigned origin = (t - 32) / senders;
  if (origin != blockIdx.x) receive(view, origin, (t - 32) % senders, wrong);
}

// The same by whole blocks or warps, with rows that the host reads where they are.
constexpr unsigned long_row = 48;
template <class S>
__global__ void group_signals(scheduled_views views, const word* rows, unsigned* wrong) {
  const view_type view(views.of[blockIdx.x]);
  const int me = view.rank().value;
  const detail::device::membership in = detail::device::member(S{});
  if (std::is_same_v<S, scope::warp> && threadIdx.x >= 32) return;
  for (unsigned round = 0; round < rounds; ++round) {
    for (int d = 0; d < scheduled_ranks; ++d)
      if (d != me)
        view.put_notify(S{}, oriel::rank{d}, disp{64u * me},
                        rows + (round * scheduled_ranks + me) * long_row, long_row, me);
    for (int o = 0; o < scheduled_ranks; ++o) {
      if (o == me) continue;
      EXPECT_THAT(view.wait_notify(S{}, o, round + 1) == errc::success);
      for (std::size_t i = in.index; i < long_row; i += in.size)
        EXPECT_THAT(view.get(oriel::rank{me}, disp{64u * o + i}) ==
                    rows[(round * scheduled_ranks + o) * long_row + i]);
      view.put_notify(S{}, oriel::rank{o}, disp{0}, rows, 0, 8 + me);
    }
    for (int d = 0; d < scheduled_ranks; ++d)
      if (d != me) EXPECT_THAT(view.wait_notify(scope::warp{}, 8 + d, round + 1) == errc::success);
  }
}

// --- What fence orders, and what is complete after quiet -----------------------------------------
// Elements of each rank: by origin and thread, the first put and the second, at places apart.
__device__ disp first_of(int origin, unsigned t) {
  return disp{origin * 16u + t};
}
__device__ disp second_of(int origin, unsigned t) {
  return disp{128 + origin * 16u + t};
}
__device__ disp third_of(int origin, unsigned t) {
  return disp{256 + origin * 16u + t};
}
constexpr unsigned orderers = 4;
// Half of the threads put to ranks that are direct, half to others: a request would order more.
__device__ bool puts_to(const view_type& view, int target, unsigned t) {
  const int me = view.rank().value;
  const bool direct = (me == 2) == (target == 2);
  return me != target && direct == (t % 2 == 0);
}
__device__ void put_in_order(const view_type& view, unsigned t, word* flags, unsigned* wrong) {
  for (int d = 0; d < scheduled_ranks; ++d) {
    if (!puts_to(view, d, t)) continue;
    const int me = view.rank().value;
    view.put(oriel::rank{d}, first_of(me, t), word{7} + t);
    view.fence(scope::thread{});
    view.put(oriel::rank{d}, second_of(me, t), word{9} + t);
    view.put(oriel::rank{d}, third_of(me, t), word{11} + t);
    EXPECT_THAT(view.quiet(scope::thread{}) == errc::success);
    detail::device::store(flags + (me * scheduled_ranks + d) * orderers + t, word{1});
  }
}
__global__ void orders(scheduled_views views, word* flags, unsigned* wrong) {
  const view_type view(views.of[blockIdx.x]);
  const oriel::rank me = view.rank();
  const unsigned t = threadIdx.x % 32;
  if (t >= orderers) return;
  if (threadIdx.x < 32) return put_in_order(view, t, flags, wrong);
  for (int o = 0; o < scheduled_ranks; ++o) {
    if (!puts_to(view_type(views.of[o]), me.value, t)) continue;
    // Looked at too early, these may be seen again.
    static_cast<void>(view.get(me, first_of(o, t)) + view.get(me, third_of(o, t)));
    EXPECT_THAT(view.wait_until(scope::thread{}, second_of(o, t), comparison::equal, word{9} + t) ==
                errc::success);
    EXPECT_THAT(view.get(me, first_of(o, t)) == 7 + t);
    const word* const flag = flags + (o * scheduled_ranks + me.value) * orderers + t;
    while (detail::device::load(flag) == 0) detail::device::pause();
    view.sync();
    EXPECT_THAT(view.get(me, third_of(o, t)) == 11 + t);
  }
}

// --- Every kind of request, by threads that crowd the ring ---------------------------------------
constexpr unsigned crowd = 40, additions = 2;
__global__ void requests(scheduled_views views, word* found, unsigned* wrong) {
  const view_type view(views.of[blockIdx.x]);
  const oriel::rank far{blockIdx.x == 2 ? 0 : 2};
  const unsigned t = blockIdx.x * crowd + threadIdx.x;
  if (threadIdx.x >= crowd) return;
  const disp mine{64 + t};
  for (unsigned i = 0; i < additions; ++i) {
    found[t * additions + i] = view.fetch_add(far, disp{blockIdx.x}, word{1});
    view.put(far, mine, word{t + i});
    view.fence(scope::thread{});
    EXPECT_THAT(view.get(far, mine) == t + i);
    EXPECT_THAT(view.compare_swap(far, mine, word{t + i}, word{t + i + 1}) == t + i);
  }
  EXPECT_THAT(view.quiet(scope::thread{}) == errc::success);
}
// Results that the host copies where they belong, usable after quiet, or once nothing is out: one
// thread's quiet completes what the other has begun too.
__global__ void long_gets(scheduled_views views, word* found, unsigned* wrong) {
  const view_type view(views.of[blockIdx.x]);
  const oriel::rank far{blockIdx.x == 2 ? 0 : 2};
  const unsigned t = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  word* const mine = found + (blockIdx.x * 2 + t) * 16;
  EXPECT_THAT(detail::device::load(mine) == 0);
  view.get_nbi(scope::thread{}, far, disp{480}, mine, 16);
  unsigned looks = t == 0 ? 100 : 0;  // the first one goes to quiet at once
  while (looks < 100 && detail::device::any_out(views.of[blockIdx.x])) {
    static_cast<void>(detail::device::load(mine));  // too early
    ++looks;
  }
  if (looks == 100) EXPECT_THAT(view.quiet(scope::thread{}) == errc::success);
  for (unsigned i = 0; i < 16; ++i) EXPECT_THAT(detail::device::load(mine + i) == 100 + i);
}
// Nobody serves, and the host closes the window.
__global__ void closing(scheduled_views views, word*, unsigned* wrong) {
  const view_type view(views.of[blockIdx.x]);
  const oriel::rank far{blockIdx.x == 2 ? 0 : 2};
  if (threadIdx.x < 3) view.put(far, disp{threadIdx.x}, word{1});
  if (threadIdx.x == 3) EXPECT_THAT(view.wait_notify(scope::thread{}, 3, 1) == errc::peer_failed);
  if (threadIdx.x == 4) EXPECT_THAT(view.fetch_add(far, disp{0}, word{1}) == 0);
  if (threadIdx.x == 5)
    EXPECT_THAT(view.wait_until(scope::thread{}, disp{9}, comparison::equal, word{1}) ==
                errc::peer_failed);
}
// Nobody serves, and the host counts and refuses. Counters that are even reach 2 and have one
// refused then, which waits for 2 do not end for; odd ones have one of two refused.
constexpr unsigned waiters = 48;
__global__ void refusals(scheduled_views views, word*, unsigned* wrong) {
  const view_type view(views.of[blockIdx.x]);
  const std::size_t counter = threadIdx.x % scheduled_world::counters;
  if (threadIdx.x >= waiters) return;
  EXPECT_THAT(view.wait_notify(scope::thread{}, counter, 2) ==
              (counter % 2 == 0 ? errc::success : errc::rma_range));
}

// --- The host ------------------------------------------------------------------------------------
struct run_state {
  scheduled_world world;
  oriel::testing::gpu_array<word> words{512, oriel::testing::place::pinned};
  oriel::testing::gpu_array<unsigned> wrong{1, oriel::testing::place::pinned};
};

template <class Kernel>
bool runs(run_state& s, Kernel kernel) {
  kernel<<<scheduled_ranks, threads>>>(s.world.views(), s.words.get(), s.wrong.get());
  return cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}

bool does_signals(run_state& s) {
  return runs(s, signals);
}
template <class S>
bool does_group_signals(run_state& s) {
  for (unsigned i = 0; i < rounds * scheduled_ranks * long_row; ++i) s.words.get()[i] = 5000 + i;
  return runs(s, group_signals<S>);
}
bool does_orders(run_state& s) {
  return runs(s, orders);
}
bool does_requests(run_state& s) {
  if (!runs(s, requests)) return false;
  for (unsigned r = 0; r < scheduled_ranks; ++r) {
    std::vector<word> tickets(s.words.get() + r * crowd * additions,
                              s.words.get() + (r + 1) * crowd * additions);
    std::ranges::sort(tickets);
    for (unsigned i = 0; i < tickets.size(); ++i)
      if (tickets[i] != i) return false;
  }
  return true;
}
bool does_long_gets(run_state& s) {
  for (int r = 0; r < scheduled_ranks; ++r)
    for (unsigned i = 0; i < 16; ++i) s.world.memory(r)[480 + i] = 100 + i;
  return runs(s, long_gets);
}
bool does_closing(run_state& s) {
  s.world.act_at(500, [&s] { s.world.close(); });
  return runs(s, closing);
}
bool does_refusals(run_state& s) {
  for (unsigned i = 0; i < scheduled_ranks * scheduled_world::counters; ++i) {
    std::uint64_t* const counter = s.world.counter(i % scheduled_ranks, i / scheduled_ranks);
    counter[0] = 1;
    s.world.act_at(300 + 20 * i, [counter, i] {
      const auto add = [](std::uint64_t& to) { std::atomic_ref(to).fetch_add(1); };
      if (i / scheduled_ranks % 2 == 0) add(counter[0]);
      counter[detail::counter_why] = static_cast<std::uint64_t>(errc::rma_range);
      add(counter[detail::counter_refused]);
    });
  }
  return runs(s, refusals);
}

struct named {
  const char* name;
  bool (*does)(run_state&);
};
constexpr named mixes[] = {
    {"signals", does_signals},
    {"block_signals", does_group_signals<scope::block>},
    {"warp_signals", does_group_signals<scope::warp>},
    {"orders", does_orders},
    {"requests", does_requests},
    {"long_gets", does_long_gets},
    {"closing", does_closing},
    {"refusals", does_refusals},
};

std::string wrong_with(run_state& s, const named& mix, word seed,
                       const oriel::testing::schedules& asked) {
  s.world.renew();
  std::fill_n(s.words.get(), s.words.size(), word{0});
  *s.wrong.get() = 0;
  asked.begin(seed);
  const bool right = mix.does(s) && *s.wrong.get() == 0;
  return right ? "" : "line " + std::to_string(*s.wrong.get());
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  const auto asked = oriel::testing::schedules::asked_for(argc, argv);
  if (!asked) return 2;
  auto& s = *new run_state;  // to the end of the process, when a kernel that failed may still run
  if (!s.world.join()) return 77;
  return asked->run("ring-schedules", mixes,
                    [&](const named& mix, word seed) { return wrong_with(s, mix, seed, *asked); });
}
