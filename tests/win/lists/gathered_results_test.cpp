// Nonblocking forms by themselves in windows that gather: each returns without its result, which
// comes with those of many others.
#include <vector>

#include "tests/win/lists/gathering.hpp"
#include "tests/win/lists/window_messages.hpp"

namespace oriel::testing {
namespace {

constexpr std::uint64_t n = 1000;

// Nothing leaves a packet for an owner of this node because it is old.
std::uint64_t most_messages(rank to, const sent_messages& since) {
  return n / 10 + (is_far(to) ? since.most_early() : 0);
}

// What `n` operations on one element of this rank's at `to`, begun one by one, return:
// `begin(window, to, element, result)` begins each.
template <class Begin>
std::vector<std::uint64_t> results_of(Begin begin) {
  auto w = gathering_window<simple>(static_cast<std::size_t>(world().size()));
  const rank to = far_or_next();
  const disp mine{static_cast<std::uint64_t>(me())};
  std::vector<std::uint64_t> before(n, ~std::uint64_t{0});
  {
    auto epoch = w.lock_all();
    const sent_messages messages(w.any());
    for (std::uint64_t& one : before) EXPECT_TRUE(begin(w, to, mine, one).ok());
    EXPECT_TRUE(w.flush_local(to).ok()) << w.failure();
    EXPECT_TRUE(w.flush(to).ok()) << w.failure();
    EXPECT_LT(messages.count(), most_messages(to, messages));
  }
  meet();
  return before;
}

TEST(GatheredResults, OfFetchesAloneTakeFewMessages) {
  std::uint64_t sum = 0;
  for (const std::uint64_t one : results_of([](auto&w, rank to, disp mine, std::uint64_t&before) {
         return w.fetch_add_nbi(to, mine, 1, before);
       }))
    sum += one;
  EXPECT_EQ(sum, n * (n - 1) / 2);
}

TEST(GatheredResults, OfSwapsAloneTakeFewMessages) {
  std::uint64_t zeros = 0;
  for (const std::uint64_t one : results_of([](auto&w, rank to, disp mine, std::uint64_t&before) {
         return w.compare_swap_nbi(to, mine, 0, 1, before);
       }))
    zeros += one == 0 ? 1 : 0;
  EXPECT_EQ(zeros, 1u);
}

}  // namespace
}  // namespace oriel::testing
