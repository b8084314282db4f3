// What a runtime says when its driver refuses: nothing is left behind, nothing ends the process.
// ORIEL_TEST_COPY_CALL names the driver's call that copies.
#include "tests/kinds/device_fixture.hpp"

namespace oriel::testing {
namespace {

using kinds::residence;

class device_failures_test : public device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (!emulated()) GTEST_SKIP() << "needs a driver that fails when asked to";
  }
};

template <class F>
std::pair<errc, std::string> thrown_by(F&& f) {
  try {
    f();
  } catch (const error& e) {
    return {e.code(), e.what()};
  }
  return {errc::success, ""};
}

TEST_F(device_failures_test, RunsOutOfMemory) {
  const scoped_variable limit("ORIEL_TEST_MEMORY", std::to_string(std::size_t{8} << 20));
  const auto most = allocate(residence::device, std::size_t{6} << 20);
  const auto [code, text] =
      thrown_by([&] { runtime().allocate(0, residence::device, std::size_t{3} << 20); });
  EXPECT_EQ(code, errc::no_mem);
  EXPECT_NE(text.find("3145728 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("out of memory"), std::string::npos) << text;
  EXPECT_NE(runtime().last_failure(), "");
}

TEST_F(device_failures_test, HasNoDeviceOfThatNumber) {
  for (const int device : {-1, 2, 1000}) {
    EXPECT_EQ(thrown_by([&] { runtime().allocate(device, residence::device, 100); }).first,
              errc::arg);
    EXPECT_NE(runtime().lacks_atomics(device), "");
    EXPECT_NE(runtime().lacks_peer_access(0, device), "");
    EXPECT_NE(runtime().lacks_ipc(device, residence::device), "");
  }
}

TEST_F(device_failures_test, TellsOfACopyThatFails) {
  const std::string call = std::getenv("ORIEL_TEST_COPY_CALL");
  const auto m = allocate(residence::device, 100);
  write_value(m.get(), 1);
  const int two = 2;
  {
    const scoped_variable fail("ORIEL_TEST_FAIL", call + ":1");
    EXPECT_EQ(runtime().copy(m.get(), &two, sizeof two), errc::system);
    EXPECT_NE(runtime().last_failure().find(call), std::string::npos) << runtime().last_failure();
    EXPECT_EQ(runtime().copy(m.get(), &two, sizeof two), errc::success);
  }
  EXPECT_EQ(read_value<int>(m.get()), 2);
}

TEST_F(device_failures_test, TellsOfACopyThatCannotBeBegun) {
  const auto m = allocate(residence::device, 100);
  const int one = 1;
  const std::array<kinds::copy_piece, 2> pieces{
      {{m.get(), &one, sizeof one}, {m.get() + 8, &one, sizeof one}}};
  {
    const scoped_variable fail("ORIEL_TEST_FAIL",
                               std::string(std::getenv("ORIEL_TEST_COPY_CALL")) + ":2");
    EXPECT_EQ(runtime().begin(pieces), errc::system);
  }
  EXPECT_EQ(runtime().drain(), errc::success);  // the first was begun and must not outlive us
  EXPECT_EQ(read_value<int>(m.get()), 1);
}

// What ctest runs with ORIEL_TEST_REFUSE set: a machine that has devices and little else.
class refused : public device_failures_test {
 protected:
  void SetUp() override {
    device_failures_test::SetUp();
    if (std::getenv("ORIEL_TEST_REFUSE") == nullptr) GTEST_SKIP() << "nothing is refused";
  }
};

TEST_F(refused, ManagedMemory) {
  EXPECT_NE(runtime().lacks(residence::managed), "");
  EXPECT_EQ(thrown_by([&] { runtime().allocate(0, residence::managed, 100); }).first,
            errc::unsupported_kind);
  EXPECT_EQ(runtime().lacks(residence::device), "");
}

TEST_F(refused, Handles) {
  EXPECT_NE(runtime().lacks_ipc(0, residence::device), "");
  const auto m = allocate(residence::device, 100);
  EXPECT_NE(thrown_by([&] { runtime().export_memory(m.get()); }).first, errc::success);
}

TEST_F(refused, Peers) {
  EXPECT_EQ(runtime().lacks_peer_access(0, 0), "");
  EXPECT_NE(runtime().lacks_peer_access(0, 1), "");
}

TEST_F(refused, Atomics) {
  EXPECT_NE(runtime().lacks_atomics(0), "");
}

}  // namespace
}  // namespace oriel::testing
