// The programs by which memory models are told apart, under the policy `late`: what a program may
// come to without its fences some seed shows, and no seed what it may not.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tests/drivers/ptx/by_hand.hpp"

namespace oriel::test_driver::ptx {
namespace {

const std::string x = "[%rd1]", y = "[%rd1+64]", z = "[%rd1+128]";
const std::string full = "membar.sys;\n", half = "fence.acq_rel.sys;\n", none;

std::string set(const std::string& where, int value, const char* how = "volatile") {
  return std::string("st.") + how + ".global.u64 " + where + ", " + std::to_string(value) + ";\n";
}
// The thread's nth result.
std::string get(const std::string& where, int n, const char* how = "volatile") {
  return std::string("ld.") + how + ".global.u64 %rd4, " + where + ";\nst.global.u64 [%rd3+" +
         std::to_string(512 + 256 * n) + "], %rd4;\n";
}
std::string await(const std::string& where, int value, const char* how = "volatile") {
  static int labels = 0;
  const std::string label = "$await" + std::to_string(++labels);
  return label + ":\nld." + how + ".global.u64 %rd4, " + where + ";\nsetp.ne.s64 %p2, %rd4, " +
         std::to_string(value) + ";\n@%p2 bra " + label + ";\n";
}
const std::string swap_x = "atom.sys.cas.b64 %rd4, [%rd1], 0, 1;\n";

// What each thread does, a block each.
struct program {
  std::vector<std::string> threads;
  std::string text() const {
    std::string all =
        "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd2, %r2, 8;\n"
        "add.s64 %rd3, %rd1, %rd2;\n";
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const std::string next = "$behind" + std::to_string(i);
      all += "setp.ne.s32 %p1, %r2, " + std::to_string(i) + ";\n@%p1 bra " + next + ";\n" +
             threads[i] + "bra.uni $out;\n" + next + ":\n";
    }
    return kernel(all + "$out:\n");
  }
};
struct outcome_of {
  words& memory;
  std::uint64_t operator()(int thread, int n) const {
    return memory[static_cast<std::size_t>(64 + 32 * n + thread)];
  }
};
using bad = std::function<bool(const outcome_of&)>;
// Under how many of 600 seeds it comes to that.
unsigned times(const program& p, const bad& happened) {
  const std::string text = p.text();
  unsigned n = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    words memory(160);
    launch(text, memory, static_cast<unsigned>(p.threads.size()), 1,
           schedule(seed, policy::late, 0));
    n += happened({memory}) ? 1 : 0;
  }
  return n;
}

TEST(Late, SightsJoinAndForgetNothingWhereTheyAreShortened) {
  sight all, old, young;
  all.see_all(200);
  for (moment m = 1; m <= 60; ++m) {
    old.see(8 * m, m);
    young.see(8 * (m + 30), 200 + m);
  }
  all.join(old);
  all.join(young);
  all.join(old);
  for (moment m = 1; m <= 60; ++m) EXPECT_GE(all.of(8 * (m + 30)), 200 + m);
  EXPECT_LT(all.of(8), 261u) << "not everything";
}

TEST(Late, AMessageNeedsAFenceOfEachSide) {
  const auto message = [](const std::string& writer, const std::string& reader) {
    return times(
        {{set(x, 1, "relaxed.sys") + writer + set(y, 1), await(y, 1) + reader + get(x, 0)}},
        [](const outcome_of& r) { return r(1, 0) == 0; });
  };
  for (const auto& f : {full, half}) {
    EXPECT_EQ(message(f, f), 0u);
    EXPECT_GT(message(none, f), 0u);
    EXPECT_GT(message(f, none), 0u);
  }
}

TEST(Late, AReleaseAndAnAcquirePassAMessage) {
  const auto message = [](const char* writes, const char* reads) {
    return times({{set(x, 1, "relaxed.sys") + set(y, 1, writes), await(y, 1, reads) + get(x, 0)}},
                 [](const outcome_of& r) { return r(1, 0) == 0; });
  };
  EXPECT_EQ(message("release.sys", "acquire.sys"), 0u);
  EXPECT_GT(message("volatile", "acquire.sys"), 0u);
  EXPECT_GT(message("release.sys", "volatile"), 0u);
}

// An update between them that orders nothing passes on what the release has brought.
TEST(Late, AnUpdatePassesAReleaseOn) {
  const auto message = [](const char* writes) {
    return times({{set(x, 1, "relaxed.sys") + set(y, 1, writes),
                   await(y, 1) + "red.sys.global.add.u64 " + y + ", 1;\n",
                   await(y, 2, "acquire.sys") + get(x, 0)}},
                 [](const outcome_of& r) { return r(2, 0) == 0; });
  };
  EXPECT_EQ(message("release.sys"), 0u);
  EXPECT_GT(message("volatile"), 0u);
}

TEST(Late, AThreadPassesOnWhatItHasSeenBeforeItsFence) {
  const auto message = [](const std::string& between) {
    return times({{set(x, 1), await(x, 1) + between + set(y, 1), await(y, 1) + full + get(x, 0)}},
                 [](const outcome_of& r) { return r(2, 0) == 0; });
  };
  EXPECT_EQ(message(full), 0u);
  EXPECT_EQ(message(half), 0u);
  EXPECT_GT(message(none), 0u);
}

// Both threads read what was before the other's store.
TEST(Late, StoresThatAreBehindLoadsNeedFullFences) {
  const auto both_early = [](const std::string& fence) {
    return times({{set(x, 1) + fence + get(y, 0), set(y, 1) + fence + get(x, 0)}},
                 [](const outcome_of& r) { return r(0, 0) == 0 && r(1, 0) == 0; });
  };
  EXPECT_EQ(both_early(full), 0u);
  EXPECT_GT(both_early(half), 0u);
  EXPECT_GT(both_early(none), 0u);
}

// Two threads see the stores of two others in different orders.
TEST(Late, ThreadsNeedFullFencesToAgreeOnAnOrder) {
  const auto disagree = [](const std::string& fence) {
    return times(
        {{set(x, 1), set(y, 1), await(x, 1) + fence + get(y, 0), await(y, 1) + fence + get(x, 0)}},
        [](const outcome_of& r) { return r(2, 0) == 0 && r(3, 0) == 0; });
  };
  EXPECT_EQ(disagree(full), 0u);
  EXPECT_GT(disagree(half), 0u);
  EXPECT_GT(disagree(none), 0u);
}

// Each thread's first store is the last one of its place.
TEST(Late, StoresToTwoPlacesChangeTheirOrder) {
  const auto crossed = [](const std::string& fence) {
    const std::string text =
        program{{set(x, 1) + fence + set(y, 2), set(y, 1) + fence + set(x, 2)}}.text();
    unsigned n = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
      words memory(160);
      launch(text, memory, 2, 1, schedule(seed, policy::late, 0));
      n += memory[0] == 1 && memory[8] == 1 ? 1 : 0;
    }
    return n;
  };
  EXPECT_EQ(crossed(full), 0u);
  EXPECT_GT(crossed(none), 0u);
}

TEST(Late, OnePlaceNeverGoesBack) {
  std::string writes, reads;
  for (int i = 1; i <= 6; ++i) writes += set(x, i);
  for (int i = 0; i < 3; ++i) reads += get(x, i);
  const auto falls = [](const outcome_of& r) { return r(1, 0) > r(1, 1) || r(1, 1) > r(1, 2); };
  const auto rises = [](const outcome_of& r) { return r(1, 0) < r(1, 1) && r(1, 1) < r(1, 2); };
  EXPECT_EQ(times({{writes, reads}}, falls), 0u);
  EXPECT_GT(times({{writes, reads}}, rises), 0u);
  // Nor for the thread that has written, and updates read the newest.
  const program own{{set(x, 1) + get(x, 0), set(x, 1) + get(x, 0)}};
  EXPECT_EQ(times(own, [](const outcome_of& r) { return r(0, 0) == 0 || r(1, 0) == 0; }), 0u);
}

// A store behind a swap that has succeeded is seen before the swap.
TEST(Late, ASwapReachesOthersLateToo) {
  const auto later_first = [](const std::string& fence) {
    return times({{swap_x + fence + set(y, 1), await(y, 1) + full + get(x, 0)}},
                 [](const outcome_of& r) { return r(1, 0) == 0; });
  };
  EXPECT_EQ(later_first(full), 0u);
  EXPECT_GT(later_first(none), 0u);
  const program both{
      {swap_x + "st.global.u64 [%rd3+512], %rd4;\n", swap_x + "st.global.u64 [%rd3+512], %rd4;\n"}};
  EXPECT_EQ(times(both, [](const outcome_of& r) { return r(0, 0) == r(1, 0); }), 0u);
}

// A load behind a swap reads what was before what the swap has found.
TEST(Late, ALoadBehindASwapNeedsAFence) {
  const auto early = [](const std::string& fence) {
    return times({{set(y, 1) + full + set(x, 7),
                   "$look:\natom.sys.cas.b64 %rd4, [%rd1], 7, 8;\nsetp.ne.s64 %p2, %rd4, 7;\n"
                   "@%p2 bra $look;\n" +
                       fence + get(y, 0)}},
                 [](const outcome_of& r) { return r(1, 0) == 0; });
  };
  EXPECT_EQ(early(full), 0u);
  EXPECT_EQ(early(half), 0u);
  EXPECT_GT(early(none), 0u);
}

// A host's store is seen, and what it has stored before.
TEST(Late, WhatAHostStoresIsSeenAtOnceBehindAnAcquire) {
  struct host {
    words& memory;
    unsigned turns = 0;
    static bool turn(void* of) {
      auto& h = *static_cast<host*>(of);
      if (++h.turns == 3) {
        h.memory[0] = 2;
        h.memory[8] = 1;
      }
      return true;
    }
  };
  const std::string text = program{
      {set(x, 1) + await(y, 1, "acquire.sys") + get(x, 0),
       await(y, 1, "acquire.sys") +
           get(x, 0)}}.text();
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    words memory(160);
    host h{memory};
    launch(text, memory, 2, 1, schedule(seed, policy::late, 0), {host::turn, &h});
    EXPECT_NE(memory[65], 0u) << "seed " << seed;
  }
}

// Nor need the thread have looked at it before.
TEST(Late, AHostPassesAMessageOn) {
  struct host {
    words& memory;
    static bool turn(void* of) {
      auto& h = *static_cast<host*>(of);
      if (h.memory[16] == 1) h.memory[8] = 1;
      return true;
    }
  };
  const std::string text = program{
      {set(x, 1) + set(z, 1, "release.sys"),
       get(x, 0) + await(z, 1) + "nanosleep.u32 100;\n" + get(y, 1, "acquire.sys") +
           get(x, 2)}}.text();
  unsigned passed = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    words memory(192);
    host h{memory};
    launch(text, memory, 2, 1, schedule(seed, policy::late, 0), {host::turn, &h});
    const outcome_of r{memory};
    if (r(1, 1) == 0) continue;
    ++passed;
    EXPECT_EQ(r(1, 2), 1u) << "seed " << seed;
  }
  EXPECT_GT(passed, 0u);
}

// Threads of a block that have met see what any of them had seen.
TEST(Late, WhatThreadsOfABlockHadSeenTheySeeBehindABarrier) {
  const std::string text = kernel(my_word + "setp.eq.s32 %p1, %r1, 0;\n@!%p1 bra $meet;\n" +
                                  set(x, 1) + "$meet:\nbar.sync 0;\nld.global.u64 %rd4, " + x +
                                  ";\nst.global.u64 [%rd3+512], %rd4;\n");
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    words memory(160);
    launch(text, memory, 1, 40, schedule(seed, policy::late, 0));
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(memory[64 + i], 1u) << "seed " << seed;
  }
}

}  // namespace
}  // namespace oriel::test_driver::ptx
