// Copies between the memory of several vendors in one process. ORIEL_TEST_KINDS, a list, names
// those whose test drivers are at hand.
#include "kinds/copy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <vector>

#include "kinds/device_kind.hpp"
#include "kinds/device_runtime.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::kinds {
namespace {

// Memory of one residence, freed at the end.
class piece {
 public:
  piece(device_runtime& runtime, residence where, std::size_t bytes)
      : runtime_(&runtime), where_(where), begin_(runtime.allocate(0, where, bytes)) {}
  ~piece() { runtime_->free(begin_); }
  piece(const piece&) = delete;
  piece& operator=(const piece&) = delete;
  [[nodiscard]] std::byte* begin() const { return begin_; }
  [[nodiscard]] std::string kind() const { return kind_text(runtime_->whose(), where_); }

 private:
  device_runtime* runtime_;
  residence where_;
  std::byte* begin_;
};

std::vector<device_runtime*> runtimes_at_hand() {
  const char* const list = std::getenv("ORIEL_TEST_KINDS");
  std::vector<device_runtime*> found;
  std::istringstream kinds(list == nullptr ? "" : list);
  for (std::string kind; std::getline(kinds, kind, ',');)
    found.push_back(runtime(*vendor_named(kind)));
  return found;
}

TEST(Copy, ReachesMemoryOfEveryVendorFromEveryOther) {
  const auto runtimes = runtimes_at_hand();
  if (runtimes.size() < 2) GTEST_SKIP() << "fewer than two vendors are at hand";
  constexpr std::size_t bytes = (9 << 20) + 5;  // more than goes through the host at once
  std::vector<std::byte> pattern(bytes), seen(bytes);
  for (std::size_t i = 0; i < bytes; ++i) pattern[i] = static_cast<std::byte>(i * 7 % 251);
  for (device_runtime* const reader : runtimes) {
    ASSERT_NE(reader, nullptr);
    for (device_runtime* const writer : runtimes)
      for (const residence from_where : all_residences)
        for (const residence to_where : all_residences) {
          if (reader == writer) continue;
          const piece from(*reader, from_where, bytes), to(*writer, to_where, bytes);
          SCOPED_TRACE(from.kind() + " to " + to.kind());
          ASSERT_EQ(copy_bytes(from.begin(), pattern.data(), bytes), errc::success);
          ASSERT_EQ(copy_bytes(to.begin(), from.begin(), bytes), errc::success);
          ASSERT_EQ(copy_bytes(seen.data(), to.begin(), bytes), errc::success);
          EXPECT_TRUE(seen == pattern);
        }
  }
}

TEST(Copy, TellsTheVendorsFailure) {
  const auto runtimes = runtimes_at_hand();
  if (runtimes.empty()) GTEST_SKIP() << "no vendor is at hand";
  if (runtimes[0]->whose() != vendor::cuda) GTEST_SKIP() << "the call is one of CUDA's";
  const piece memory(*runtimes[0], residence::device, 64);
  std::byte here{};
  {
    const testing::scoped_variable fail("ORIEL_TEST_FAIL", "cuMemcpyAsync:1");
    EXPECT_EQ(copy_bytes(memory.begin(), &here, 1), errc::system);
  }
  EXPECT_EQ(copy_bytes(memory.begin(), &here, 1), errc::success);
}

}  // namespace
}  // namespace oriel::kinds
