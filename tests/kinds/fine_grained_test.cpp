// HIP's memory is coherent while kernels run only where that was asked for.
#include <algorithm>

#include "tests/kinds/device_fixture.hpp"

namespace oriel::testing {
namespace {

using kinds::residence;

class fine_grained_test : public device_test {};

bool was_called(const std::string& call) {
  const auto lines = test_driver::read_ledgers(std::getenv("ORIEL_TEST_LEDGER"));
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.starts_with(call); });
}

TEST_F(fine_grained_test, MemoryOfHipIsFineGrainedAndCoherent) {
  if (runtime().whose() != kinds::vendor::rocm) GTEST_SKIP() << "other vendors' is";
  if (std::getenv("ORIEL_TEST_DRIVER") == nullptr) GTEST_SKIP() << "there is no ledger";
  const auto on_device = allocate(residence::device, 100);
  const auto on_host = allocate(residence::host, 104);
  // Whole blocks of 2 MiB; hipDeviceMallocFinegrained.
  EXPECT_TRUE(was_called("hipExtMallocWithFlags(2097152, 1)"));
  // hipHostMallocPortable, Mapped and Coherent.
  EXPECT_TRUE(was_called("hipHostMalloc(104, " + std::to_string(0x40000003u) + ")"));
  EXPECT_FALSE(was_called("hipMalloc("));
}

}  // namespace
}  // namespace oriel::testing
