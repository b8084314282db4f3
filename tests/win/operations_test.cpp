// Operations beyond the conformance suite: datatypes, requests, notification, op sets, structs, and
// what a window refuses at run time.
#include <complex>
#include <numeric>
#include <thread>

#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set everything = every_assertion.without(assertion::attach);

TEST(DynamicWindow, RefusesWhatWasNotAssertedAndNamesIt) {
  auto w = window<int>::allocate(world(), 8, assertion_set{});
  const rank self{me()};
  const std::array<int, 2> two{};
  const shape s{datatype::of<int>(), 1};
  int value = 0;
  const auto expect = [&](status got, const char* needed) {
    EXPECT_EQ(got.code(), errc::not_asserted) << needed;
    EXPECT_NE(w.failure().find(needed), std::string::npos) << w.failure();
    EXPECT_NE(w.failure().find("rank " + std::to_string(me())), std::string::npos);
    w.clear_failure();
  };
  expect(w.fence(), "assertion::fence");
  expect(w.put(self, disp{0}, std::span<const int>(two)), "assertion::multi_element");
  expect(w.put(self, disp{0}, &value, s, s), "assertion::user_datatype");
  expect(w.post({}), "assertion::pscw");
  expect(w.start({}).opened(), "assertion::pscw");
  expect(w.lock_all().opened(), "assertion::shared_lock");
  expect(w.lock_exclusive(self).opened(), "assertion::exclusive_lock");
  expect(w.lock_shared(self).opened(), "assertion::shared_lock");
  expect(w.flush(self), "assertion::shared_lock");
  expect(w.put_notify(self, disp{0}, 1, 0), "assertion::notify");
  EXPECT_EQ(catch_error([&] { w.attach(std::span(&value, 1)); }).code, errc::not_asserted);
  w.clear_failure();
  auto x = window<int>::allocate(world(), 8, assertion::shared_lock);
  EXPECT_EQ(x.lock_exclusive(self).opened().code(), errc::not_asserted);
  EXPECT_NE(x.failure().find("assertion::exclusive_lock"), std::string::npos);
  x.clear_failure();
}

TEST(DynamicWindow, GivesMemoryOnlyAsPromised) {
  const rank self{me()};
  auto none = window<int>::allocate(world(), 8, assertion::shared_lock);
  const auto expect = [&](const thrown& e, const char* needed) {
    EXPECT_EQ(name(e.code), "not_asserted") << needed;
    EXPECT_NE(e.text.find(needed), std::string::npos) << e.text;
    EXPECT_NE(e.text.find("rank " + std::to_string(me())), std::string::npos) << e.text;
    none.clear_failure();
  };
  expect(catch_error([&] { (void)none.local(); }), "local() needs assertion::local_load_store");
  expect(catch_error([&] { (void)none.any().local(); }),
         "local() needs assertion::local_load_store");
  expect(catch_error([&] { (void)none.remote(self); }),
         "remote() needs assertion::remote_load_store or assertion::node_load_store");
  EXPECT_EQ(none.shared_query(self).span().size(), 8u);
  auto own = window<int>::allocate(world(), 8, assertion_set(assertion::local_load_store));
  EXPECT_EQ(own.local().size(), 8u);
  EXPECT_EQ(name(catch_error([&] { (void)own.remote(self); }).code), "not_asserted");
  own.clear_failure();
  auto node = window<int>::allocate(world(), 8, assertion_set(assertion::node_load_store));
  EXPECT_EQ(node.remote(self).size(), 8u);
  EXPECT_EQ(name(catch_error([&] { (void)node.local(); }).code), "not_asserted");
  node.clear_failure();
}

TEST(Datatypes, StridedPutGetAndAccumulate) {
  for (const made how : all_made()) {
    SCOPED_TRACE(name(how));
    made_window m(how, 64, datatype::of<double>(),
                  everything & (assertion::shared_lock | assertion::user_datatype |
                                assertion::multi_element | assertion::ordered_accumulate));
    any_window& w = m.window;
    const rank next = world().next();
    // Column 1 of an 8×8 matrix there, from every second element here.
    const shape column{datatype::vector(8, 1, 8, datatype::of<double>()), 1};
    const shape every_second{datatype::vector(8, 1, 2, datatype::of<double>()), 1};
    const shape dense{datatype::of<double>(), 8};
    std::vector<double> here(16);
    std::iota(here.begin(), here.end(), me() * 100.0);
    std::vector<double> back(8), old(8), all(64);
    w.lock_all().or_throw();
    EXPECT_TRUE(w.put(next, disp{1}, here.data(), every_second, column).ok()) << w.failure();
    EXPECT_TRUE(w.flush(next).ok());
    EXPECT_TRUE(
        w.accumulate(atomic_op::sum, next, disp{1}, here.data(), every_second, column).ok());
    EXPECT_TRUE(
        w.get_accumulate(atomic_op::no_op, next, disp{1}, nullptr, {}, old.data(), dense, column)
            .ok())
        << w.failure();
    EXPECT_TRUE(w.flush(next).ok());  // a get is not ordered behind accumulates
    EXPECT_TRUE(w.get(next, disp{1}, back.data(), dense, column).ok()) << w.failure();
    EXPECT_TRUE(w.get(next, disp{0}, all.data(), 64).ok());
    EXPECT_EQ(w.put(next, disp{0}, here.data(), {datatype::of<double>(), 3}, column).code(),
              errc::type);
    w.clear_failure();
    w.unlock_all().or_throw();
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(back[i], 2 * here[2 * i]);
      EXPECT_EQ(old[i], 2 * here[2 * i]);
      EXPECT_EQ(all[8 * i + 1], 2 * here[2 * i]);
      EXPECT_EQ(all[8 * i], 0.0);
      EXPECT_EQ(all[8 * i + 2], 0.0);
    }
    world().barrier().or_throw();
  }
}

TEST(Datatypes, ADerivedBaseLeavesItsGapsAlone) {
  // One element: the first and the third of four ints.
  const std::array<std::ptrdiff_t, 2> at{0, 2};
  const datatype pair =
      datatype::resized(datatype::indexed_block(1, at, datatype::of<int>()), 0, 16);
  for (const made how : {made::allocated, made::private_memory}) {
    made_window m(how, 3, pair, assertion::shared_lock | assertion::multi_element);
    any_window& w = m.window;
    std::array<int, 12> mine;
    mine.fill(7);
    w.lock_all().or_throw();
    EXPECT_TRUE(w.put(world().next(), disp{1}, mine.data(), 2).ok()) << w.failure();
    EXPECT_TRUE(w.accumulate(atomic_op::sum, world().next(), disp{1}, mine.data()).ok());
    w.unlock_all().or_throw();
    world().barrier().or_throw();
    const auto* const got = reinterpret_cast<const int*>(w.shared_query(rank{me()}).base);
    const std::array<int, 12> expected{0, 0, 0, 0, 14, 0, 14, 0, 7, 0, 7, 0};
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(got[i], expected[i]) << i;
    world().barrier().or_throw();
  }
}

struct particle {
  double x, y, z;
  int id;
};

TEST(Structs, MoveWhole) {
  auto w =
      window<particle, assertion::shared_lock | assertion::multi_element>::allocate(world(), 4);
  auto epoch = w.lock_all();
  const particle p{1, 2, 3, me()};
  w.put(world().next(), disp{2}, p).or_throw();
  w.flush(world().next()).or_throw();
  world().barrier().or_throw();
  EXPECT_EQ(w.get(rank{me()}, disp{2}).id, world().previous().value);
  EXPECT_EQ(w.accumulate(atomic_op::sum, rank{me()}, disp{0}, p).code(), errc::op);
  w.clear_failure();
  world().barrier().or_throw();
}

TEST(ComplexAndPairs, InlineAndOutOfLineAgree) {
  auto w =
      window<std::complex<double>, assertion_set(assertion::shared_lock)>::allocate(world(), 2);
  auto v = window<value_index<double>, assertion_set(assertion::shared_lock)>::allocate(world(), 2);
  auto ew = w.lock_all();
  auto ev = v.lock_all();
  const rank zero{0};
  w.add(zero, disp{0}, {1.0, 2.0}).or_throw();
  v.accumulate<atomic_op::maxloc>(zero, disp{0}, {static_cast<double>(me() % 2), me()}).or_throw();
  w.flush(zero).or_throw();
  v.flush(zero).or_throw();
  world().barrier().or_throw();
  EXPECT_EQ(w.get(zero, disp{0}), std::complex<double>(ranks(), 2.0 * ranks()));
  const auto best = v.get(zero, disp{0});
  EXPECT_EQ(best.value, ranks() > 1 ? 1.0 : 0.0);
  EXPECT_EQ(best.index, ranks() > 1 ? 1 : 0);
  world().barrier().or_throw();
}

TEST(Requests, AHundredThousandMayBeOutstanding) {
  auto w = window<int, assertion::shared_lock | assertion::multi_element>::allocate(world(), 1000);
  auto epoch = w.lock_all();
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  std::vector<request> all;
  for (std::size_t i = 0; i < many_requests(); ++i)
    all.push_back(
        w.rput(world().next(), disp{i % 1000}, std::span<const int>(values).subspan(i % 1000, 1)));
  EXPECT_TRUE(wait_all(all).ok());
  w.flush_all().or_throw();
  world().barrier().or_throw();
  std::vector<int> back(1000);
  EXPECT_TRUE(w.rget(rank{me()}, disp{0}, std::span(back)).wait().ok());
  EXPECT_EQ(back, values);
  world().barrier().or_throw();
  EXPECT_TRUE(w.raccumulate(atomic_op::sum, world().next(), disp{0}, std::span<const int>(values))
                  .wait()
                  .ok());
  w.flush_all().or_throw();
  world().barrier().or_throw();
  EXPECT_TRUE(
      w.rget_accumulate(atomic_op::no_op, rank{me()}, disp{0}, {}, std::span(back)).wait().ok());
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(back[i], 2 * static_cast<int>(i));
  world().barrier().or_throw();
}

TEST(Notification, TellsOfThePutBeforeIt) {
  auto w = window<int, assertion::notify | assertion::local_load_store>::allocate(
      world(), 1000, {.notify_counters = 2});
  for (int i = 0; i < 1000; ++i)
    EXPECT_TRUE(w.put_notify(world().next(), disp{static_cast<std::uint64_t>(i)}, i, 1).ok());
  EXPECT_TRUE(w.wait_notify(1, 1000).ok()) << w.failure();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(w.local()[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(w.notified(0), 0u);
  EXPECT_EQ(w.put_notify(rank{me()}, disp{0}, 1, 2).code(), errc::arg);
  w.clear_failure();
  world().barrier().or_throw();
}

TEST(OpSet, RefusesWhatItLeavesOut) {
  window_options o;
  o.ops = atomic_op::sum | atomic_op::no_op;
  auto w = window<int>::allocate(world(), 8, assertion::shared_lock, o);
  auto epoch = w.lock_all();
  EXPECT_TRUE(w.add(rank{me()}, disp{0}, 1).ok());
  EXPECT_EQ(w.accumulate(atomic_op::prod, rank{me()}, disp{0}, 1).code(), errc::op);
  EXPECT_NE(w.failure().find("op set"), std::string::npos) << w.failure();
  w.clear_failure();
}

TEST(Threads, AllOfAProcessUseOneWindow) {
  auto w = window<std::uint64_t, assertion_set(assertion::shared_lock)>::allocate(world(), 1);
  auto epoch = w.lock_all();
  constexpr int threads = 4;
  const int each = spans_nodes() ? 2'000 : 10'000;  // enough for the threads to run at one time
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      for (int i = 0; i < each; ++i) w.fetch_add(rank{0}, disp{0}, 1);
    });
  for (std::thread& t : all) t.join();
  w.flush(rank{0}).or_throw();
  world().barrier().or_throw();
  EXPECT_EQ(w.get(rank{0}, disp{0}), static_cast<std::uint64_t>(ranks()) * threads * each);
  world().barrier().or_throw();
}

TEST(Explain, SaysWhatWasDecided) {
  auto w = window<int>::allocate(world(), 8, assertion::shared_lock, {.name = "hits"});
  const std::string text = w.explain();
  for (const char* part : {"'hits'", "shared_lock", "self to rank", "none needed", "int32"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  if (ranks() == 1) return;
  EXPECT_NE(text.find("load_store to rank"), std::string::npos);
  std::vector<int> mine(8);
  auto x = window<int>::create(world(), std::span(mine), assertion::shared_lock);
  EXPECT_NE(x.explain().find("cma to rank"), std::string::npos) << x.explain();
  EXPECT_NE(x.explain().find("agent"), std::string::npos);
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
