// window.view(): the operations of the window, on copies of its view.
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

template <assertion_set A>
void use_view() {
  auto w = window<std::uint64_t, A>::allocate(world(), 8);
  const rank next = world().next();
  const auto v = w.view();
  {
    auto epoch = w.lock_all();
    v.put(next, disp{1}, 40);
    v.prefetch(next, disp{2});
    EXPECT_EQ(v.get(next, disp{1}), 40u);
    v.add(next, disp{1}, 2);
    EXPECT_EQ(v.fetch_add(next, disp{1}, 1), 42u);
    EXPECT_EQ(v.compare_swap(next, disp{1}, 43, 7), 43u);
    EXPECT_EQ(*v.at(next, disp{1}), 7u);
    v.template accumulate<atomic_op::max>(next, disp{1}, 9);
    EXPECT_EQ(v.template fetch_op<atomic_op::replace>(next, disp{1}, 3), 9u);
  }
  ASSERT_TRUE(world().barrier().ok());
  EXPECT_EQ(w.local()[1], 3u);
  ASSERT_TRUE(world().barrier().ok());  // those below reach it, too
  // Of all ranks at once, beside accumulates that may have the memory to themselves.
  {
    auto epoch = w.lock_all();
    const std::vector<std::uint64_t> none(8, 0);
    for (int i = 0; i < 20000; ++i) {
      v.add(rank{0}, disp{5}, 1);
      if constexpr (A.has(assertion::multi_element)) {
        if (i % 64 == 0) w.accumulate(atomic_op::sum, rank{0}, disp{0}, none).or_throw();
      }
    }
  }
  ASSERT_TRUE(world().barrier().ok());
  if (me() == 0) {
    EXPECT_EQ(w.local()[5], 20000u * static_cast<unsigned>(world().size()));
  }
  ASSERT_TRUE(world().barrier().ok());
}

constexpr assertion_set simple =
    assertion::remote_load_store | assertion::local_load_store | assertion::shared_lock;

TEST(HostView, DoesWhatTheWindowDoes) {
  use_view<simple>();
}
TEST(HostView, PassesTheGatesOfLongAccumulates) {
  use_view<simple | assertion::multi_element>();
}

}  // namespace
}  // namespace oriel::testing
