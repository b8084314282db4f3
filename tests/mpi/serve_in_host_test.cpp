// The host's own progress serves other ranks' requests, as long as a service lives and
// no longer. Run with the face's files in the program, and in place of the way to other nodes one
// that counts.
#include "mpi/serve_in_host.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "tests/mpi/common_word.hpp"

namespace oriel::mpi {

// The face's own is with the rest of its process.
bool is_switched_off() noexcept {
  return false;
}

namespace {

class counting_way final : public sessions::messenger {
 public:
  errc send(int, const sessions::message_tag&, std::span<const std::byte>) noexcept override {
    return errc::success;
  }
  errc receive(int, const sessions::message_tag&, std::vector<std::byte>&,
               const sync::peer_watch&) noexcept override {
    return errc::success;
  }
  void answer_by_itself(sessions::standing_answer) override {}
  bool progress() noexcept override {
    thread_local bool inside = false;
    if (inside) comes_back = true;
    inside = true;
    ++looks;
    if (at_each_look) at_each_look();
    inside = false;
    return finds;
  }
  [[nodiscard]] bool progresses_by_itself() const noexcept override { return true; }

  std::function<void()> at_each_look;
  std::atomic<bool> finds{false};
  std::atomic<int> looks{0};
  std::atomic<bool> comes_back{false};
};

void look_for_messages(int times) {
  for (int i = 0; i < times; ++i) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
}

TEST(ServeInHost, WhileAServiceLives) {
  counting_way way;
  look_for_messages(1000);
  EXPECT_EQ(way.looks, 0);
  for (int round = 0; round < 3; ++round) {
    {
      const service_in_host first({nullptr, &way});
      const service_in_host second({nullptr, &way});
      look_for_messages(1000);
    }
    EXPECT_GT(way.looks, 0) << "round " << round;
    const int looks = way.looks.exchange(0);
    EXPECT_LT(looks, 1000) << "looks that find nothing become rare";
    look_for_messages(1000);
    EXPECT_EQ(way.looks, 0);
  }
}

TEST(ServeInHost, LooksAgainAtOnceWhereThereWasSomething) {
  counting_way way;
  way.finds = true;
  const service_in_host service({nullptr, &way});
  look_for_messages(1000);
  EXPECT_GE(way.looks, 900);
}

TEST(ServeInHost, ServicesWithoutServersAskForNothing) {
  counting_way way;
  const service_in_host nothing({nullptr, nullptr});
  { const service_in_host something({nullptr, &way}); }
  look_for_messages(1000);
  EXPECT_EQ(way.looks, 0);
}

// In the host's own wait: the message is sent once the receiver has been seen to serve.
TEST(ServeInHost, InAReceive) {
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  mpi_test::common_word served;
  counting_way way;
  way.at_each_look = [&] { served.raise(); };
  const service_in_host service({nullptr, me == 1 ? &way : nullptr});
  if (me == 0) {
    served.compute_until(3);
    MPI_Send(nullptr, 0, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
  } else if (me == 1) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_GE(way.looks, 3);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(ServeInHost, OnAnyThreadAndNeverInsideItself) {
  counting_way way;
  way.finds = true;
  {
    const service_in_host service({nullptr, &way});
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
      all.emplace_back([&way] {
        for (int i = 0; i < 20; ++i) {
          const service_in_host another({nullptr, &way});
          look_for_messages(50);
        }
      });
    for (std::thread& one : all) one.join();
  }
  EXPECT_GT(way.looks, 0);
  EXPECT_FALSE(way.comes_back);
  leave_host();
  const int looks = way.looks;
  look_for_messages(1000);
  EXPECT_EQ(way.looks, looks);
}

}  // namespace
}  // namespace oriel::mpi
