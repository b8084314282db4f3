// A build without libsodium: jobs without a secret, and no others.
#include <gtest/gtest.h>

#include "session/bootstrap/handshake.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

TEST(ProofAbsent, RefusesAJobWithASecret) {
  EXPECT_FALSE(sessions::proofs_available());
  EXPECT_EQ(catch_error([] { sessions::require_proofs_for(""); }).code, errc::success);
  const thrown t = catch_error([] { sessions::require_proofs_for("secret"); });
  EXPECT_EQ(t.code, errc::arg);
  EXPECT_NE(t.text.find("built without libsodium"), std::string::npos) << t.text;
}

// What they say is what a build with libsodium says in a job without a secret.
TEST(ProofAbsent, ProvesNothingWithoutASecret) {
  const sessions::proof nothing = sessions::prove("", sessions::speaker::joiner, {1, 2, {}}, {});
  EXPECT_EQ(nothing, sessions::proof{});
  EXPECT_TRUE(sessions::same(nothing, sessions::proof{}));
}

}  // namespace
}  // namespace oriel::testing
