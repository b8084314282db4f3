// Operations that end when a test says so, and the requests that wait for them.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <memory>

#include "mpi/requests.hpp"
#include "sync/wait.hpp"

namespace oriel::mpi::testing {

// What a test sees of one operation, and does to it.
struct fake {
  std::atomic<bool> done{false};
  std::atomic<int> tests_until_done{-1};  // as when progress is what brings it about; -1: never
  int outcome = MPI_SUCCESS;
  std::atomic<int> tests{0};
  std::atomic<int> completions{0};  // each follows one wait
  std::atomic<int> ends{0};         // of the operation's life
};

class fake_operation final : public pending_operation {
 public:
  explicit fake_operation(fake& controls) : controls_(&controls) {}
  ~fake_operation() override { controls_->ends.fetch_add(1); }
  bool test() noexcept override {
    const int tests = controls_->tests.fetch_add(1) + 1;
    const int until = controls_->tests_until_done.load();
    if (until >= 0 && tests >= until) controls_->done.store(true);
    return controls_->done.load();
  }
  int wait() noexcept override {
    while (!test()) sync::wait_ladder::yield();
    controls_->completions.fetch_add(1);
    return controls_->outcome;
  }

 private:
  fake* controls_;
};

inline MPI_Request request_for(fake& controls) {
  MPI_Request made = MPI_REQUEST_NULL;
  EXPECT_EQ(make_request(std::make_unique<fake_operation>(controls), &made), MPI_SUCCESS);
  return made;
}

inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// Every test leaves nothing behind: neither a pending operation nor one that is not destroyed.
class requests_fixture : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    ASSERT_FALSE(any_pending());
  }
  void TearDown() override { EXPECT_FALSE(any_pending()); }
  int rank = 0, size = 1, next = 0, before = 0;
};

}  // namespace oriel::mpi::testing
