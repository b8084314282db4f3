// What a write says beside its bytes: in what bits it fits, and whom its number names.
#include "transport/completion_data.hpp"

#include <gtest/gtest.h>

#include <set>

#include "transport/fabric.hpp"

namespace oriel::transport {
namespace {

bool operator==(const completion_data& a, const completion_data& b) {
  return a.number == b.number && a.counter == b.counter && a.amount == b.amount;
}

TEST(CompletionData, ComesBackAsItWas) {
  for (const std::size_t bytes : {4, 8}) {
    const auto w = completion_data::in(bytes);
    ASSERT_EQ(static_cast<std::size_t>(w.number + w.counter + w.amount), 8 * bytes);
    const auto most = [](int bits) { return (1u << bits) - 1; };
    for (const completion_data& d :
         {completion_data{1, 0, 0}, {1, 2, 3}, {most(w.number), most(w.counter), most(w.amount)}}) {
      const auto packed = d.packed(bytes);
      ASSERT_TRUE(packed.has_value());
      EXPECT_EQ(*packed >> (8 * bytes - 1) >> 1, 0u) << "fits into " << bytes << " bytes";
      EXPECT_TRUE(completion_data::unpacked(*packed, bytes) == d) << bytes;
    }
    EXPECT_FALSE((completion_data{most(w.number) + 1, 0, 1}.packed(bytes)));
    EXPECT_FALSE((completion_data{1, most(w.counter) + 1, 1}.packed(bytes)));
    EXPECT_FALSE((completion_data{1, 0, most(w.amount) + 1}.packed(bytes)));
    EXPECT_FALSE((completion_data{0, 0, 1}.packed(bytes))) << "nobody's number";
  }
}

TEST(CompletionData, IsCarriedByNobodyWhoHasNoBytesForIt) {
  EXPECT_FALSE((completion_data{1, 0, 1}.packed(0)));
}

struct nobody final : service {
  void serve(const message&) noexcept override {}
};

TEST(NoticeNumbers, NameOneHolderEach) {
  notice_numbers all;
  nobody one, other;
  const std::uint32_t a = all.give({&one, 3}, 12), b = all.give({&other, 4}, 12);
  EXPECT_NE(a, b);
  EXPECT_EQ(all.find(a).to, &one);
  EXPECT_EQ(all.find(a).from, 3);
  EXPECT_EQ(all.find(b).from, 4);
  all.take_back(one);
  EXPECT_EQ(all.find(a).to, nullptr) << "what is late names nobody";
  EXPECT_EQ(all.find(b).to, &other);
  EXPECT_NE(all.give({&one, 5}, 12), a) << "nor somebody else";
}

TEST(NoticeNumbers, RunOutAndComeBack) {
  constexpr int bits = 4;
  notice_numbers all;
  nobody one, other;
  const std::uint32_t first = all.give({&other, 0}, bits);
  std::set<std::uint32_t> given{first};
  while (given.size() < (1u << bits) - 1) {
    const std::uint32_t number = all.give({&one, 0}, bits);
    ASSERT_NE(number, 0u);
    ASSERT_LT(number, 1u << bits);
    ASSERT_TRUE(given.insert(number).second) << number << " was given twice";
  }
  EXPECT_EQ(all.give({&one, 0}, bits), 0u);
  all.take_back(other);
  EXPECT_EQ(all.give({&one, 0}, bits), first);
}

}  // namespace
}  // namespace oriel::transport
