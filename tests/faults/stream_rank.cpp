// A rank of a job whose links are bad: stream_rank SECONDS [LONG]. For that long, and for two
// rounds at least, the ranks do every kind of operation across the hosts, in rounds whose results
// are known, and read and write LONG numbers at once.
#include <cstdlib>
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

using numbers = std::vector<std::uint64_t>;
using counters = window<std::uint64_t>;

constexpr std::size_t length = 2000;  // of a row: several frames
constexpr std::size_t entries = 500;  // of a list
constexpr std::size_t small = 200;    // operations that gather

struct job {
  job(session& s, std::size_t numbers_at_once)
      : world(s.world()),
        me(world.me().value),
        n(world.size()),
        far{(me + n / 2) % n},
        at_once(numbers_at_once) {
    window_options many;
    many.aggregate = true;
    rows = counters::allocate(world, length + 1, everything | assertion::local_load_store);
    locked = counters::allocate(world, 1, everything | assertion::local_load_store);
    packed = counters::allocate(
        world, entries + 3,
        assertion::shared_lock | assertion::notify | assertion::local_load_store, many);
    if (at_once != 0)
      whole = counters::allocate(world, at_once, everything | assertion::local_load_store);
  }
  void expect(std::uint64_t a, std::uint64_t b) { wrong += a == b ? 0 : 1; }

  team world;
  int me, n;
  rank far;  // of the other host; its far rank is this one
  std::size_t at_once;
  counters rows, locked, packed, whole;
  std::uint64_t round = 0;
  int wrong = 0;
};

// A value that names its origin, its round and its place.
std::uint64_t value_of(int origin, std::uint64_t round, std::size_t i) {
  return static_cast<std::uint64_t>(origin) << 48 | round << 16 | i;
}

void fences(job& j) {
  numbers row(length), back(length);
  for (std::size_t i = 0; i < length; ++i) row[i] = value_of(j.me, j.round, i);
  j.rows.put(j.far, disp{0}, std::span<const std::uint64_t>(row)).or_throw();
  for (int r = 0; r < j.n; ++r) j.rows.add(rank{r}, disp{length}, 1).or_throw();
  j.rows.fence().or_throw();
  j.rows.get(j.far, disp{0}, std::span(back)).or_throw();
  j.rows.fence().or_throw();
  const auto here = j.rows.local();
  for (std::size_t i = 0; i < length; ++i) {
    j.expect(here[i], value_of(j.far.value, j.round, i));
    j.expect(back[i], row[i]);
  }
  j.expect(here[length], (j.round + 1) * static_cast<std::uint64_t>(j.n));
  j.world.barrier().or_throw();
}

void lists(job& j) {
  const auto epoch = j.packed.lock_all();
  epoch.opened().or_throw();
  const std::vector<rank> to(entries, j.far);
  std::vector<disp> at;
  numbers values, back(entries);
  for (std::size_t i = 0; i < entries; ++i) {
    at.push_back(disp{i});
    values.push_back(value_of(j.me, j.round, i));
  }
  j.packed.scatter(to, at, values).or_throw();
  j.packed.flush_all().or_throw();
  j.packed.gather(to, at, back).or_throw();
  std::uint64_t before = 0;
  j.packed.compare_swap(j.far, disp{entries}, j.round, j.round + 1, before).or_throw();
  for (std::size_t i = 0; i < small; ++i) j.packed.add(j.far, disp{entries + 1}, i).or_throw();
  j.packed.flush_all().or_throw();
  for (std::size_t i = 0; i < entries; ++i) j.expect(back[i], values[i]);
  j.expect(before, j.round);
  j.packed.put_notify(j.far, disp{entries + 2}, values[0], 0).or_throw();
  j.packed.wait_notify(0, j.round + 1).or_throw();
  j.world.barrier().or_throw();
  const auto here = j.packed.local();
  j.expect(here[entries], j.round + 1);
  j.expect(here[entries + 1], (j.round + 1) * small * (small - 1) / 2);
  j.expect(here[entries + 2], value_of(j.far.value, j.round, 0));
  j.world.barrier().or_throw();
}

// A plain counter, which only the lock protects.
void locks(job& j) {
  {
    auto epoch = j.locked.lock_exclusive(rank{0});
    epoch.opened().or_throw();
    std::uint64_t count = 0;
    j.locked.get(rank{0}, disp{0}, count).or_throw();
    j.locked.flush(rank{0}).or_throw();
    j.locked.put(rank{0}, disp{0}, count + 1).or_throw();
    epoch.end().or_throw();
  }
  j.world.barrier().or_throw();
  if (j.me == 0) j.expect(j.locked.local()[0], (j.round + 1) * static_cast<std::uint64_t>(j.n));
  j.world.barrier().or_throw();
}

// Long enough to go by several rails at a time.
void long_ones(job& j) {
  if (j.at_once == 0) return;
  numbers out(j.at_once), back(j.at_once);
  for (std::size_t i = 0; i < j.at_once; ++i) out[i] = value_of(j.me, j.round, i);
  {
    auto epoch = j.whole.lock_all();
    epoch.opened().or_throw();
    j.whole.put(j.far, disp{0}, std::span<const std::uint64_t>(out)).or_throw();
    j.whole.flush(j.far).or_throw();
    j.whole.get(j.far, disp{0}, std::span(back)).or_throw();
    epoch.end().or_throw();
  }
  j.world.barrier().or_throw();
  const auto here = j.whole.local();
  int different = 0;
  for (std::size_t i = 0; i < j.at_once; ++i)
    different += back[i] != out[i] || here[i] != value_of(j.far.value, j.round, i) ? 1 : 0;
  j.expect(static_cast<std::uint64_t>(different), 0);
  j.world.barrier().or_throw();
}

int run(double seconds, std::size_t numbers_at_once) {
  session s;
  job j(s, numbers_at_once);
  if (j.me == 0) std::printf("%s", j.rows.explain().c_str());
  const auto end = steady::now() + std::chrono::duration<double>(seconds);
  say(j.me, "ready");
  double longest = 0;
  outcome o;
  // Rank 0's clock is everybody's.
  for (int more = 1; more != 0 && o.code == errc::success;) {
    o = timed([&]() -> status {
      fences(j);
      lists(j);
      locks(j);
      long_ones(j);
      ++j.round;
      more = j.round < 2 || steady::now() < end ? 1 : 0;
      return j.world.broadcast(more, rank{0});
    });
    longest = std::max(longest, o.seconds);
  }
  // Ranks of one host have sent each other nothing so far.
  if (o.code == errc::success)
    o = timed([&]() -> status {
      j.expect(static_cast<std::uint64_t>(j.world.shrink().size()),
               static_cast<std::uint64_t>(j.n));
      return errc::success;
    });
  say(j.me, "met " + described(o));
  say(j.me, "did " + std::to_string(j.round) + " rounds, " + std::to_string(j.wrong) +
                " wrong, the longest after " + std::to_string(longest) + " s");
  if (j.me == 0) std::printf("%s", j.rows.explain().c_str());
  for (counters* const w : {&j.rows, &j.locked, &j.packed}) static_cast<void>(w->free());
  if (j.at_once != 0) static_cast<void>(j.whole.free());
  return j.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace oriel::testing

int main(int count, char** words) {
  const double seconds = std::atof(words[1]);
  const std::size_t at_once = count < 3 ? 0 : std::strtoull(words[2], nullptr, 10);
  return oriel::testing::play([&] { return oriel::testing::run(seconds, at_once); });
}
