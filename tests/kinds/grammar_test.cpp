#include "kinds/grammar.hpp"

#include <gtest/gtest.h>

#include "oriel/errc.hpp"
#include "oriel/memory_kinds.hpp"

namespace oriel {
namespace {

TEST(MemoryKindList, PrintsItsNormalForm) {
  const struct {
    const char* written;
    const char* normal;
  } rows[] = {
      {"", ""},
      {"   ", ""},
      {"system", "system"},
      {" system , mpi ", "mpi,system"},
      {"mpi:win_allocate:alloc_mem", "mpi:alloc_mem:win_allocate"},
      {"mpi:alloc_mem,mpi:win_allocate", "mpi:alloc_mem:win_allocate"},
      {"mpi:alloc_mem,mpi", "mpi"},
      {"mpi,mpi:alloc_mem", "mpi"},
      {"cuda:device,cuda:device", "cuda:device"},
      {"made_up:thing", "made_up:thing"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(to_string(memory_kind_list::parse(row.written)), row.normal) << row.written;
}

TEST(MemoryKindList, ParsesWhatItPrints) {
  const auto list = memory_kind_list::parse("system, mpi:alloc_mem:win_allocate ,cuda");
  EXPECT_EQ(memory_kind_list::parse(to_string(list)), list);
}

TEST(MemoryKindList, RejectsWhatIsMalformedAndNamesIt) {
  for (const char* bad : {"system,", ",system", "system,,mpi", "mpi:", ":alloc_mem", "mpi::x",
                          "mpi: x", "sys tem", "mpi;system", "cuda:dev-ice"}) {
    try {
      memory_kind_list::parse(bad);
      ADD_FAILURE() << "accepted: " << bad;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::info) << bad;
      EXPECT_NE(std::string(e.what()).find("valid: kind[:restrictor"), std::string::npos);
    }
  }
}

TEST(MemoryKindList, AnUnrestrictedKindContainsItsRestrictors) {
  const auto all = memory_kind_list::parse("mpi");
  EXPECT_TRUE(all.contains("mpi"));
  EXPECT_TRUE(all.contains("mpi:alloc_mem"));
  EXPECT_FALSE(all.contains("system"));
  const auto some = memory_kind_list::parse("mpi:alloc_mem:win_allocate");
  EXPECT_TRUE(some.contains("mpi:win_allocate:alloc_mem"));
  EXPECT_FALSE(some.contains("mpi"));
  EXPECT_FALSE(some.contains("mpi:win_allocate_shared"));
  EXPECT_FALSE(some.contains("mp"));
}

}  // namespace
}  // namespace oriel
