#include "kinds/negotiate.hpp"

#include <gtest/gtest.h>

#include "oriel/errc.hpp"

namespace oriel::kinds {
namespace {

TEST(ProvidedKinds, FollowTheRequestThatCounts) {
  using text = std::optional<std::string>;
  const struct {
    text launcher, session;
    const char* provided;
  } rows[] = {
      {std::nullopt, std::nullopt, "mpi,system"},  // the default
      {"system", std::nullopt, "system"},          // the launcher's argument
      {"system", "mpi", "mpi"},                    // the session's info beats it
      {"system", "", ""},                          // an empty request: none
      {"", std::nullopt, ""},
      {std::nullopt, "cuda,system", "system"},  // what cannot be is left out
      {std::nullopt, "cuda:device", ""},
      {std::nullopt, "mpi:alloc_mem", "mpi:alloc_mem"},  // substrings come back alike
      {std::nullopt, "mpi:win_allocate:alloc_mem", "mpi:win_allocate:alloc_mem"},
      {std::nullopt, "mpi:alloc_mem:nonsense", ""},  // one unknown restrictor
      {std::nullopt, "system:anything", ""},         // system has no restrictors
      {std::nullopt, "System", ""},                  // exact names only
      {std::nullopt, " system , mpi ", "system,mpi"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(provided_kinds(row.launcher, row.session), row.provided)
        << row.launcher.value_or("-") << " / " << row.session.value_or("-");
}

TEST(ProvidedKinds, RejectAMalformedRequest) {
  EXPECT_THROW(provided_kinds(std::nullopt, "mpi,,system"), error);
  EXPECT_THROW(provided_kinds("mpi::x", std::nullopt), error);
}

TEST(ProvidedKinds, GrowWithTheRegistry) {
  const provider available[] = {{"system", {}}, {"cuda", {"host", "device", "managed"}}};
  EXPECT_EQ(provided_kinds(std::nullopt, "cuda:device,rocm,mpi", available), "cuda:device");
  EXPECT_EQ(provided_kinds(std::nullopt, "cuda", available), "cuda");
}

TEST(AcceptedAssertion, IsIgnoredAsAWholeWhenOneKindIsUnsupported) {
  const auto provided = memory_kind_list::parse("mpi,system");
  EXPECT_TRUE(accepted_assertion("system", provided));
  EXPECT_TRUE(accepted_assertion("mpi:alloc_mem,system", provided));
  EXPECT_TRUE(accepted_assertion("", provided));
  EXPECT_FALSE(accepted_assertion("system,cuda", provided));
  EXPECT_FALSE(accepted_assertion("cuda", provided));
  EXPECT_FALSE(accepted_assertion("system,,mpi", provided));
  EXPECT_FALSE(accepted_assertion("mpi", memory_kind_list::parse("mpi:alloc_mem")));
  EXPECT_TRUE(accepted_assertion("mpi:alloc_mem", memory_kind_list::parse("mpi:alloc_mem")));
}

}  // namespace
}  // namespace oriel::kinds
