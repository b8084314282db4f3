// A kind of memory is one folder and one line: with the folder and the line of fourth_kind/, all of
// kinds/ knows a fourth kind. The three others are absent from this build.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kinds/classify.hpp"
#include "kinds/copy.hpp"
#include "kinds/device_kind.hpp"
#include "kinds/negotiate.hpp"

namespace oriel::kinds {
namespace {

TEST(FourthKind, HasAName) {
  EXPECT_EQ(vendor_count, 4u);
  EXPECT_EQ(vendor_named("pretended"), vendor::pretended);
  EXPECT_EQ(kind_text(vendor::pretended, residence::managed), "pretended:both");
  EXPECT_EQ(residence_named(vendor::pretended, "managed"), std::nullopt);
  const auto known = known_kinds();
  EXPECT_EQ(std::count(known.begin(), known.end(), "pretended"), 1);
}

TEST(FourthKind, IsNegotiated) {
  EXPECT_EQ(provided_kinds("mpi,pretended:device:both,pretended,cuda"),
            "mpi,pretended:device:both");
  EXPECT_EQ(why_not_provided("pretended:host", "pretended:host"),
            "pretended:host cannot be had: it pins nothing");
  EXPECT_TRUE(defines("pretended", {"host", "both"}));
}

TEST(FourthKind, IsLoadedClassifiedAndCopied) {
  device_runtime* const there = runtime(vendor::pretended);
  ASSERT_NE(there, nullptr);
  EXPECT_EQ(loaded(vendor::pretended), there);
  std::byte* const memory = there->allocate(0, residence::device, 100);
  const auto found = classify(memory + 40);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(kind_text(found->whose, found->where), "pretended:device");
  const int sent = 42;
  int back = 0;
  EXPECT_EQ(copy_bytes(memory + 40, &sent, sizeof sent), errc::success);
  EXPECT_EQ(copy_bytes(&back, memory + 40, sizeof back), errc::success);
  EXPECT_EQ(back, 42);
  there->free(memory);
}

TEST(FourthKind, LeavesTheKindsAbsentThatTheBuildLacks) {
  for (const vendor v : all_vendors) {
    if (v == vendor::pretended) continue;
    EXPECT_EQ(runtime(v), nullptr);
    EXPECT_EQ(why_absent(v), "built without " + std::string(line_of(v).needed));
  }
}

}  // namespace
}  // namespace oriel::kinds
