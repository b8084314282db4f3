// The runtime under test: that of the vendor which ORIEL_TEST_VENDOR names. With a test driver
// (ORIEL_TEST_DRIVER=1) the tests also inject failures and read the ledger; the same tests run on
// real devices without.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kinds/device_kind.hpp"
#include "kinds/device_runtime.hpp"
#include "tests/drivers/ledger_reader.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::testing {

inline kinds::vendor vendor_under_test() {
  const char* name = std::getenv("ORIEL_TEST_VENDOR");
  if (const auto v = kinds::vendor_named(name == nullptr ? "" : name)) return *v;
  ADD_FAILURE() << "ORIEL_TEST_VENDOR names no vendor";
  return kinds::vendor::cuda;
}

inline bool emulated() {
  return std::getenv("ORIEL_TEST_DRIVER") != nullptr;
}

// Calls that the test driver has recorded in this process.
inline std::size_t driver_calls() {
  return test_driver::read_ledgers(std::getenv("ORIEL_TEST_LEDGER")).size();
}

class device_test : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime_ = kinds::runtime(vendor_under_test());
    if (runtime_ != nullptr) return;
    if (emulated()) FAIL() << kinds::why_absent(vendor_under_test());
    GTEST_SKIP() << kinds::why_absent(vendor_under_test());
  }
  kinds::device_runtime& runtime() { return *runtime_; }

  // Memory that goes with the scope.
  class memory {
   public:
    memory(kinds::device_runtime& runtime, int device, kinds::residence where, std::size_t bytes)
        : runtime_(runtime), base_(runtime.allocate(device, where, bytes)) {}
    ~memory() { release(); }
    memory(memory&& other) noexcept
        : runtime_(other.runtime_), base_(std::exchange(other.base_, nullptr)) {}
    [[nodiscard]] std::byte* get() const { return base_; }
    void release() {
      if (base_ != nullptr) runtime_.free(std::exchange(base_, nullptr));
    }

   private:
    kinds::device_runtime& runtime_;
    std::byte* base_;
  };
  memory allocate(kinds::residence where, std::size_t bytes, int device = 0) {
    return {*runtime_, device, where, bytes};
  }

  // What lies at a pointer of any kind.
  std::vector<unsigned char> read(const void* from, std::size_t bytes) {
    std::vector<unsigned char> found(bytes, 0xee);
    EXPECT_EQ(runtime_->copy(found.data(), from, bytes), errc::success) << runtime_->last_failure();
    return found;
  }
  template <class T>
  T read_value(const void* from) {
    T value{};
    EXPECT_EQ(runtime_->copy(&value, from, sizeof value), errc::success)
        << runtime_->last_failure();
    return value;
  }
  template <class T>
  void write_value(void* to, const T& value) {
    EXPECT_EQ(runtime_->copy(to, &value, sizeof value), errc::success) << runtime_->last_failure();
  }

 private:
  kinds::device_runtime* runtime_ = nullptr;
};

// Bytes that differ from one seed to another, and along the run.
inline std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
  std::vector<unsigned char> run(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    run[i] = static_cast<unsigned char>(seed * 131 + i * 7 + (i >> 8));
  return run;
}

}  // namespace oriel::testing
