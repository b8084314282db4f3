// Derived datatypes, static windows, construction, and collectives of teams.
#include <algorithm>

#include "tests/faults/random/works.hpp"

namespace oriel::testing::works {

// Every second element of a run, put and got back by two datatypes.
void use_datatypes(workplace& p) {
  dice d = p.common(), own = p.mine();
  held_window& h = p.windows.one_for(assertion::shared_lock | assertion::user_datatype, d);
  const std::size_t mine = layout::region * static_cast<std::size_t>(p.self.my_place());
  const std::size_t n = 2 + d.below(300);
  const shape dense{datatype::of<element>(), n};
  const shape sparse{datatype::vector(n, 1, 2, datatype::of<element>()), 1};
  p.meet();
  p.self.step("lock_all", participant::any, h.number);
  auto all = h.w.lock_all();
  p.met_by_all(h, all.opened());
  for (std::uint64_t turn = 0; turn < 10; ++turn) {
    const int target = own.pick(p.self.size());
    const auto from = p.source(target, turn, n), back = p.result(n);
    const disp at = h.at(target, mine);
    p.self.step("put of a vector", target, h.number);
    p.met(h, h.w.put(rank{target}, at, from.data(), dense, sparse), target);
    p.self.step("flush", target, h.number);
    p.met(h, h.w.flush(rank{target}), target);
    p.self.step("get of a vector", target, h.number);
    p.met(h, h.w.get(rank{target}, at, back.data(), dense, sparse), target);
    p.self.step("flush_local", target, h.number);
    p.met(h, h.w.flush_local(rank{target}), target);
    p.self.expect(std::equal(from.begin(), from.end(), back.begin()),
                  "a vector put to rank " + std::to_string(target) + " is not there");
  }
  p.self.step("unlock_all", participant::any, h.number);
  p.met_by_all(h, all.end());
  p.meet();
}

void build_and_free(workplace& p) {
  dice d = p.common();
  const std::uint64_t times = 2 + d.below(6);
  const team& t = p.self.members();
  for (std::uint64_t i = 0; i < times; ++i) {
    const bool create = d.one_in(2);
    std::vector<int> own(100);
    p.self.step(create ? "create" : "allocate");
    constexpr assertion_set promised =
        assertion::fence | assertion::shared_lock | assertion::exclusive_lock;
    auto w =
        create ? window<int>::create(t, own, promised) : window<int>::allocate(t, 100, promised);
    p.self.step("fence of a short window");
    p.self.met(w.fence(), w.failure(), participant::any);
    p.self.step("put to a short window", t.next().value);
    p.self.met(w.put(t.next(), disp{7}, t.me().value + 1), w.failure(), t.next().value);
    p.self.step("fence of a short window");
    p.self.met(w.fence(), w.failure(), participant::any);
    const int got = w.get(t.me(), disp{7});
    p.self.expect(got == t.previous().value + 1, "a short window holds " + std::to_string(got));
    p.self.step("free of a short window");
    p.self.met(w.free(), "free", participant::any);
  }
}

namespace {

// The ranks of a team whose numbers are odd, or even, as mine is. Deaths among the others are no
// reason for them to fail, unless one kept a rank from joining.
void expect_half(workplace& p, const team& half) {
  const int n = p.self.size(), me = p.self.my_place();
  std::vector<int> members(static_cast<std::size_t>(half.size()));
  const status gathered = half.allgather_bytes(&me, sizeof me, members.data());
  bool dying = false;
  for (int r = me % 2; r < n; r += 2) dying = dying || p.self.dying(r);
  if (gathered.ok()) {
    const auto alike =
        std::count_if(members.begin(), members.end(), [me](int r) { return r % 2 == me % 2; });
    p.self.expect(alike == half.size() && half.size() == (n + 1 - me % 2) / 2, "split");
  } else {
    const bool incomplete = half.failure().find("could not join") != std::string::npos;
    if (!dying && !incomplete)
      p.self.blame("a team of the living failed with " + std::string(name(gathered.code())));
    throw team_has_lost_a_rank{};
  }
}

}  // namespace

void use_collectives(workplace& p) {
  const team& t = p.self.members();
  const int n = t.size(), me = t.me().value;
  for (int turn = 0; turn < 5; ++turn) {
    p.self.step("allreduce");
    p.self.expect(t.allreduce(me + turn, atomic_op::sum) == n * (n - 1) / 2 + n * turn,
                  "allreduce");
    p.self.step("broadcast", turn % n);
    std::vector<int> row(1000, me);
    p.self.met(t.broadcast(std::span(row), rank{turn % n}), "broadcast", participant::any);
    p.self.expect(std::all_of(row.begin(), row.end(), [&](int v) { return v == turn % n; }),
                  "broadcast");
    p.self.step("allgather");
    const auto all = t.allgather(100 * turn + me);
    for (int r = 0; r < n; ++r)
      p.self.expect(all[static_cast<std::size_t>(r)] == 100 * turn + r, "allgather");
    p.self.step("split");
    const team half = t.split(me % 2, -me);
    p.self.step("allgather of a half");
    expect_half(p, half);
  }
  p.meet();
}

// The inlined path: what was promised is known when it is compiled.
void use_static_windows(workplace& p) {
  constexpr assertion_set promised = assertion::shared_lock | assertion::exclusive_lock |
                                     assertion::local_load_store | assertion::fence;
  const team& t = p.self.members();
  dice own = p.mine();
  p.self.step("allocate a static window");
  auto w = window<std::uint64_t, promised>::allocate(t, 64);
  const auto met = [&](status e, int target) {
    if (!e.ok()) p.self.met(e, w.failure(), target);
  };
  {
    p.self.step("lock_all of a static window");
    auto all = w.lock_all();
    met(all.opened(), participant::any);
    for (int i = 0; i < 60; ++i) {
      const int target = own.pick(t.size());
      p.self.step("fetch_op, static", target);
      std::uint64_t before = 0;
      met(w.fetch_op<atomic_op::sum>(rank{target}, disp{0}, 1, before), target);
      p.self.step("add, static", target);
      met(w.add(rank{target}, disp{1}, 2), target);
      p.self.step("put, static", target);
      met(w.put(rank{target}, disp{8 + static_cast<std::uint64_t>(t.me().value)}, 5), target);
      p.self.step("flush, static", target);
      met(w.flush(rank{target}), target);
    }
    p.self.step("unlock_all of a static window");
    met(all.end(), participant::any);
  }
  p.meet();
  p.self.step("allreduce");
  static_cast<void>(w.sync());
  const auto sum = [&](std::size_t i) { return t.allreduce(w.local()[i], atomic_op::sum); };
  p.self.expect(sum(0) == 60u * static_cast<unsigned>(t.size()), "fetched and added, static");
  p.self.expect(sum(1) == 120u * static_cast<unsigned>(t.size()), "added, static");
  p.self.step("free of a static window");
  p.self.met(w.free(), "free", participant::any);
}

}  // namespace oriel::testing::works
