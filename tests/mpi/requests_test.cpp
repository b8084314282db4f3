// One request at a time: its life, its outcome, its progress; then many, and threads.
#include "mpi/requests.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "mpi/host.hpp"
#include "tests/mpi/fake_operation.hpp"

namespace oriel::mpi::testing {
namespace {

class Request : public requests_fixture {};

TEST_F(Request, OfACompleteOperationIsCompleteAndLeavesNothingPending) {
  MPI_Request request = MPI_REQUEST_NULL;
  ASSERT_EQ(make_request(oriel::request{}, &request), MPI_SUCCESS);
  EXPECT_NE(request, MPI_REQUEST_NULL);
  EXPECT_FALSE(any_pending());
  MPI_Status status;
  int done = 0;
  EXPECT_EQ(MPI_Test(&request, &done, &status), MPI_SUCCESS);
  EXPECT_NE(done, 0);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  int count = -1, cancelled = -1;
  EXPECT_EQ(MPI_Get_elements(&status, MPI_BYTE, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(MPI_Test_cancelled(&status, &cancelled), MPI_SUCCESS);
  EXPECT_EQ(cancelled, 0);
}

TEST_F(Request, OfAnOperationThatFailedReportsItWhenWaitedFor) {
  MPI_Request request = MPI_REQUEST_NULL;
  ASSERT_EQ(make_request(oriel::request{status(errc::rma_range)}, &request), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(request, MPI_REQUEST_NULL);

  fake late;
  late.outcome = MPI_ERR_OTHER;
  late.tests_until_done = 10;
  request = request_for(late);
  MPI_Status status;
  EXPECT_EQ(class_of(MPI_Wait(&request, &status)), MPI_ERR_OTHER);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  EXPECT_EQ(late.ends, 1);
}

TEST_F(Request, IsBroughtAboutByTheProgressThatWaitMakes) {
  fake one;
  one.tests_until_done = 1000;
  MPI_Request request = request_for(one);
  EXPECT_TRUE(any_pending());
  EXPECT_EQ(one.tests, 0);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  EXPECT_GE(one.tests, 1000);
  EXPECT_EQ(one.completions, 1);
  EXPECT_EQ(one.ends, 1);
}

TEST_F(Request, IsTestedWithoutWaiting) {
  fake one;
  MPI_Request request = request_for(one);
  int done = -1;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(MPI_Test(&request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(done, 0);
  }
  EXPECT_GE(one.tests, 3);
  one.done = true;
  EXPECT_EQ(PMPI_Test(&request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_NE(done, 0);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  EXPECT_EQ(one.ends, 1);
}

TEST_F(Request, IsLookedAtAndKept) {
  fake one;
  MPI_Request request = request_for(one);
  int done = -1;
  EXPECT_EQ(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(done, 0);
  one.done = true;
  MPI_Status status;
  EXPECT_EQ(MPI_Request_get_status(request, &done, &status), MPI_SUCCESS);
  EXPECT_NE(done, 0);
  EXPECT_EQ(one.ends, 0);
  EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  EXPECT_EQ(one.ends, 1);
}

TEST_F(Request, FreedEarlyLetsTheOperationEndInItsTime) {
  fake freed, other;
  MPI_Request request = request_for(freed);
  EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  EXPECT_TRUE(any_pending());
  EXPECT_EQ(freed.ends, 0);
  freed.done = true;
  other.tests_until_done = 2;
  request = request_for(other);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(freed.completions, 1);
  EXPECT_EQ(freed.ends, 1);
}

TEST_F(Request, IsNotCancelled) {
  fake one;
  MPI_Request request = request_for(one);
  EXPECT_EQ(class_of(MPI_Cancel(&request)), MPI_ERR_REQUEST);
  int done = -1;
  EXPECT_EQ(MPI_Test(&request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(done, 0);
  one.done = true;
  MPI_Status status;
  EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  EXPECT_EQ(MPI_Test_cancelled(&status, &done), MPI_SUCCESS);
  EXPECT_EQ(done, 0);
  EXPECT_EQ(one.ends, 1);
}

TEST_F(Request, IsFinishedWithAllOthers) {
  std::deque<fake> several(200);
  std::vector<MPI_Request> requests;
  for (fake& one : several) {
    one.tests_until_done = 5;
    requests.push_back(request_for(one));
  }
  finish_requests();
  EXPECT_FALSE(any_pending());
  // The host knows it: its own wait returns without help.
  EXPECT_EQ(ORIEL_HOST(Waitall)(200, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (const fake& one : several) {
    EXPECT_EQ(one.completions, 1);
    EXPECT_EQ(one.ends, 1);
  }
}

constexpr int many = 100'000;

TEST_F(Request, IsOneOfAHundredThousandWaitedForTogether) {
  std::deque<fake> all(many);
  std::vector<MPI_Request> requests;
  for (fake& one : all) requests.push_back(request_for(one));
  EXPECT_EQ(MPI_Request_get_status(requests.front(), &size, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(size, 0);
  for (fake& one : all) one.tests_until_done = one.tests + 2;
  EXPECT_EQ(MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (int i = 0; i < many; ++i) {
    ASSERT_EQ(requests[i], MPI_REQUEST_NULL);
    ASSERT_EQ(all[i].ends, 1);
  }
}

TEST_F(Request, IsOneOfAHundredThousandWaitedForInTurn) {
  // The last made is the first done, and the waits go from the last to the first.
  std::deque<fake> all(many);
  std::vector<MPI_Request> requests;
  for (fake& one : all) requests.push_back(request_for(one));
  // A test takes no longer for the others: it looks at some of them only.
  int done = -1;
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(done, 0);
  const auto add = [](long sum, const fake& one) { return sum + one.tests; };
  const long tests = std::accumulate(all.begin(), all.end(), 0L, add);
  EXPECT_GE(tests, 100);
  EXPECT_LE(tests, 100 * 100);
  for (int i = many - 1; i >= 0; --i) {
    // As a network does: by the time one is done, those just before it are done as well.
    if (i % 1000 == 999)
      for (int k = i - 999; k <= i; ++k) all[k].done = true;
    ASSERT_EQ(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(all[i].ends, 1);
  }
}

TEST_F(Request, IsCompletedOnceThoughFourThreadsWait) {
  constexpr int rounds = 200, batch = 20;
  std::atomic<int> wrong{0};
  std::deque<std::vector<std::unique_ptr<fake>>> made(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < rounds; ++round) {
        std::vector<MPI_Request> requests;
        for (int i = 0; i < batch; ++i) {
          made[t].push_back(std::make_unique<fake>());
          fake& one = *made[t].back();
          one.tests_until_done = 1 + (round + i) % 7;
          one.outcome = i == 3 ? MPI_ERR_RMA_RANGE : MPI_SUCCESS;
          requests.push_back(request_for(one));
        }
        for (int i = 0; i < batch; ++i) {
          int done = 0, code = MPI_SUCCESS;
          if ((i + t) % 2 == 0)
            code = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
          else
            while (done == 0) code = MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
          if (class_of(code) != (i == 3 ? MPI_ERR_RMA_RANGE : MPI_SUCCESS)) ++wrong;
          if (requests[i] != MPI_REQUEST_NULL) ++wrong;
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  for (const auto& of_one : made)
    for (const auto& one : of_one) {
      ASSERT_EQ(one->completions, 1);
      // Whoever completed it may let go after the owner has.
      ASSERT_EQ(one->ends, 1);
    }
}

TEST_F(Request, WaitedForByOneThreadMayBeCompletedByAnother) {
  fake one;
  MPI_Request request = request_for(one);
  std::thread waiter([&] { EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS); });
  const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (one.tests < 100 && std::chrono::steady_clock::now() < enough) std::this_thread::yield();
  EXPECT_GE(one.tests, 100);
  one.done = true;
  finish_requests();
  waiter.join();
  EXPECT_EQ(one.completions, 1);
  EXPECT_EQ(one.ends, 1);
}

}  // namespace
}  // namespace oriel::mpi::testing
