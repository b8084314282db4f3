// Arrays in which requests of oriel's operations stand among the host's own: messages, persistent
// requests, inactive ones and none. Throughout, `held` keeps an operation in flight, so that no
// call can take the short way to the host.
#include <array>
#include <vector>

#include "tests/mpi/fake_operation.hpp"

namespace oriel::mpi::testing {
namespace {

constexpr int tag = 17;

class Calls : public requests_fixture {
 protected:
  void SetUp() override {
    requests_fixture::SetUp();
    held_request_ = request_for(held);
  }
  void TearDown() override {
    held.done = true;
    EXPECT_EQ(MPI_Wait(&held_request_, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(held.ends, 1);
    requests_fixture::TearDown();
  }
  MPI_Request receive(int& into) {
    MPI_Request made = MPI_REQUEST_NULL;
    MPI_Irecv(&into, 1, MPI_INT, before, tag, MPI_COMM_WORLD, &made);
    return made;
  }
  MPI_Request send(const int& from) {
    MPI_Request made = MPI_REQUEST_NULL;
    MPI_Isend(&from, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &made);
    return made;
  }
  fake held;

 private:
  MPI_Request held_request_ = MPI_REQUEST_NULL;
};

TEST_F(Calls, WaitForAMessageWhileOperationsAreInFlight) {
  int got = -1;
  MPI_Request received = receive(got), sent = send(rank);
  MPI_Status status;
  EXPECT_EQ(MPI_Wait(&received, &status), MPI_SUCCESS);
  EXPECT_EQ(got, before);
  EXPECT_EQ(status.MPI_SOURCE, before);
  EXPECT_EQ(status.MPI_TAG, tag);
  EXPECT_EQ(MPI_Wait(&sent, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

TEST_F(Calls, WaitForAllOfAMixedArray) {
  fake a, b;
  a.tests_until_done = 30;
  b.tests_until_done = 3;
  int got = -1, again = -1;
  MPI_Request idle = MPI_REQUEST_NULL, active = MPI_REQUEST_NULL;
  MPI_Recv_init(&again, 1, MPI_INT, before, tag + 1, MPI_COMM_WORLD, &idle);
  MPI_Recv_init(&again, 1, MPI_INT, before, tag + 1, MPI_COMM_WORLD, &active);
  MPI_Start(&active);
  for (const bool ignores : {false, true}) {
    std::array requests{request_for(a), MPI_REQUEST_NULL, receive(got), request_for(b),
                        idle,           active,           send(rank)};
    MPI_Send(&rank, 1, MPI_INT, next, tag + 1, MPI_COMM_WORLD);
    std::array<MPI_Status, 7> statuses;
    EXPECT_EQ(MPI_Waitall(7, requests.data(), ignores ? MPI_STATUSES_IGNORE : statuses.data()),
              MPI_SUCCESS);
    for (const int i : {0, 1, 2, 3, 6}) EXPECT_EQ(requests[i], MPI_REQUEST_NULL) << i;
    EXPECT_EQ(requests[4], idle);
    EXPECT_EQ(requests[5], active);
    EXPECT_EQ(got, before);
    EXPECT_EQ(again, before);
    if (!ignores) {
      EXPECT_EQ(statuses[2].MPI_SOURCE, before);
      EXPECT_EQ(statuses[2].MPI_TAG, tag);
      EXPECT_EQ(statuses[5].MPI_TAG, tag + 1);
      EXPECT_EQ(statuses[1].MPI_SOURCE, MPI_ANY_SOURCE);  // an empty status
      EXPECT_EQ(statuses[4].MPI_SOURCE, MPI_ANY_SOURCE);
      int count = -1;
      MPI_Get_elements(&statuses[0], MPI_BYTE, &count);
      EXPECT_EQ(count, 0);
      again = got = -1;
      MPI_Start(&active);
      a.done = b.done = false;
      a.tests_until_done = a.tests + 30;
      b.tests_until_done = b.tests + 30;
    }
  }
  EXPECT_EQ(a.ends + b.ends, 4);
  MPI_Request_free(&idle);
  MPI_Request_free(&active);
}

TEST_F(Calls, WaitForAnyFindsTheOneThatIsDone) {
  fake never, soon;
  soon.tests_until_done = 50;
  int got = -1;
  std::array requests{MPI_REQUEST_NULL, request_for(never), receive(got), request_for(soon)};
  int index = -1;
  MPI_Status status;
  EXPECT_EQ(MPI_Waitany(4, requests.data(), &index, &status), MPI_SUCCESS);
  EXPECT_EQ(index, 3);
  MPI_Barrier(MPI_COMM_WORLD);  // the other's message must not come first
  MPI_Request sent = send(rank);
  EXPECT_EQ(MPI_Waitany(4, requests.data(), &index, &status), MPI_SUCCESS);
  EXPECT_EQ(index, 2);
  EXPECT_EQ(status.MPI_SOURCE, before);
  int done = -1;
  EXPECT_EQ(MPI_Testany(4, requests.data(), &index, &done, &status), MPI_SUCCESS);
  EXPECT_EQ(done, 0);
  never.done = true;
  EXPECT_EQ(MPI_Testany(4, requests.data(), &index, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_NE(done, 0);
  EXPECT_EQ(index, 1);
  EXPECT_EQ(MPI_Wait(&sent, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

TEST_F(Calls, WaitForSomeFindsThoseThatAreDone) {
  fake a, b, c;
  b.done = c.done = true;
  std::array requests{request_for(a), request_for(b), MPI_REQUEST_NULL, request_for(c)};
  std::array<int, 4> indices{};
  std::array<MPI_Status, 4> statuses;
  int completed = -1;
  EXPECT_EQ(MPI_Waitsome(4, requests.data(), &completed, indices.data(), statuses.data()),
            MPI_SUCCESS);
  ASSERT_EQ(completed, 2);
  EXPECT_EQ(indices[0] + indices[1], 1 + 3);
  EXPECT_EQ(MPI_Testsome(4, requests.data(), &completed, indices.data(), MPI_STATUSES_IGNORE),
            MPI_SUCCESS);
  EXPECT_EQ(completed, 0);
  a.tests_until_done = a.tests + 50;
  EXPECT_EQ(MPI_Waitsome(4, requests.data(), &completed, indices.data(), MPI_STATUSES_IGNORE),
            MPI_SUCCESS);
  ASSERT_EQ(completed, 1);
  EXPECT_EQ(indices[0], 0);
}

TEST_F(Calls, TestAllIsTrueOnceAllAreDone) {
  fake a, b;
  a.done = true;
  int got = -1;
  std::array requests{request_for(a), request_for(b), receive(got), send(rank)};
  const std::array before_test = requests;
  int done = -1;
  EXPECT_EQ(MPI_Testall(4, requests.data(), &done, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(done, 0);
  EXPECT_EQ(requests, before_test);
  b.done = true;
  std::array<MPI_Status, 4> statuses;
  for (int i = 0; done == 0 && i < 10'000'000; ++i)
    ASSERT_EQ(MPI_Testall(4, requests.data(), &done, statuses.data()), MPI_SUCCESS);
  EXPECT_NE(done, 0);
  EXPECT_EQ(statuses[2].MPI_SOURCE, before);
  EXPECT_EQ(got, before);
}

TEST_F(Calls, FindNothingToWaitForWhereNothingIsActive) {
  int got = -1;
  MPI_Request idle = MPI_REQUEST_NULL, null = MPI_REQUEST_NULL;
  MPI_Recv_init(&got, 1, MPI_INT, before, tag, MPI_COMM_WORLD, &idle);
  std::array requests{MPI_REQUEST_NULL, idle};
  std::array<int, 2> indices{};
  std::array<MPI_Status, 2> statuses;
  for (const int count : {0, 1, 2}) {
    int index = -1, done = 0, completed = -1;
    EXPECT_EQ(MPI_Waitany(count, requests.data(), &index, statuses.data()), MPI_SUCCESS);
    EXPECT_EQ(index, MPI_UNDEFINED);
    EXPECT_EQ(MPI_Testany(count, requests.data(), &(index = -1), &done, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    EXPECT_EQ(index, MPI_UNDEFINED);
    EXPECT_NE(done, 0);
    EXPECT_EQ(MPI_Waitsome(count, requests.data(), &completed, indices.data(), statuses.data()),
              MPI_SUCCESS);
    EXPECT_EQ(completed, MPI_UNDEFINED);
    EXPECT_EQ(MPI_Testsome(count, requests.data(), &(completed = -1), indices.data(),
                           MPI_STATUSES_IGNORE),
              MPI_SUCCESS);
    EXPECT_EQ(completed, MPI_UNDEFINED);
    EXPECT_EQ(MPI_Waitall(count, requests.data(), statuses.data()), MPI_SUCCESS);
    EXPECT_EQ(MPI_Testall(count, requests.data(), &(done = 0), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_NE(done, 0);
  }
  EXPECT_EQ(MPI_Wait(&null, statuses.data()), MPI_SUCCESS);
  EXPECT_EQ(statuses[0].MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_EQ(MPI_Wait(&idle, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(MPI_Request_free(&idle), MPI_SUCCESS);
}

// The failing one is second, among requests that succeed.
class failing_array {
 public:
  failing_array() {
    failed_.outcome = MPI_ERR_RMA_RANGE;
    a_.tests_until_done = failed_.tests_until_done = b_.tests_until_done = 3;
    requests = {request_for(a_), request_for(failed_), request_for(b_)};
  }
  // A host may leave those after the failed one to another call.
  ~failing_array() {
    for (MPI_Request& left : requests) MPI_Wait(&left, MPI_STATUS_IGNORE);
    EXPECT_EQ(a_.ends, 1);
    EXPECT_EQ(failed_.ends, 1);
    EXPECT_EQ(b_.ends, 1);
  }
  std::array<MPI_Request, 3> requests{};
  std::array<MPI_Status, 3> statuses{};

 private:
  fake a_, failed_, b_;
};

TEST_F(Calls, WaitForAllSaysInTheStatusWhichFailed) {
  failing_array f;
  EXPECT_EQ(class_of(MPI_Waitall(3, f.requests.data(), f.statuses.data())), MPI_ERR_IN_STATUS);
  EXPECT_EQ(f.statuses[0].MPI_ERROR, MPI_SUCCESS);
  EXPECT_EQ(class_of(f.statuses[1].MPI_ERROR), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(f.statuses[2].MPI_ERROR, MPI_SUCCESS);
  failing_array ignored;
  EXPECT_EQ(class_of(MPI_Waitall(3, ignored.requests.data(), MPI_STATUSES_IGNORE)),
            MPI_ERR_IN_STATUS);
}

TEST_F(Calls, WaitForAllSaysSoOfThoseThatWereCompleteBefore) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  ASSERT_EQ(make_complete_request(MPI_ERR_RMA_RANGE, &requests[0]), MPI_SUCCESS);
  ASSERT_EQ(make_complete_request(MPI_SUCCESS, &requests[1]), MPI_SUCCESS);
  EXPECT_EQ(class_of(MPI_Waitall(2, requests, statuses)), MPI_ERR_IN_STATUS);
  EXPECT_EQ(class_of(statuses[0].MPI_ERROR), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
}

TEST_F(Calls, WaitForSomeSaysInTheStatusWhichFailed) {
  failing_array f;
  std::array<int, 3> indices{};
  bool seen = false;
  for (int left = 3; left > 0;) {
    int completed = 0;
    const int code =
        MPI_Waitsome(3, f.requests.data(), &completed, indices.data(), f.statuses.data());
    ASSERT_GT(completed, 0);
    left -= completed;
    for (int i = 0; i < completed; ++i) {
      if (indices[i] != 1) continue;
      seen = true;
      EXPECT_EQ(class_of(code), MPI_ERR_IN_STATUS);
      EXPECT_EQ(class_of(f.statuses[i].MPI_ERROR), MPI_ERR_RMA_RANGE);
    }
  }
  EXPECT_TRUE(seen);
}

TEST_F(Calls, WaitForAnyReturnsTheFailure) {
  failing_array f;
  for (int left = 3; left > 0; --left) {
    int index = -1;
    const int code = MPI_Waitany(3, f.requests.data(), &index, MPI_STATUS_IGNORE);
    EXPECT_EQ(class_of(code), index == 1 ? MPI_ERR_RMA_RANGE : MPI_SUCCESS);
  }
}

}  // namespace
}  // namespace oriel::mpi::testing
