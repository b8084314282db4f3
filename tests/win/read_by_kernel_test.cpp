// A kernel that reads other processes' memory for this one and does not write it: nothing is done
// twice, and nothing is lost, when an operation must go another way after it has been tried.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <vector>

#include "oriel/any_window.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::multi_element |
                         assertion::user_datatype | assertion::local_load_store;
constexpr std::size_t longest = 100'000;
using word = std::uint64_t;

// In all threads of this process, for ever.
bool refuse_writes() {
  std::array<sock_filter, 4> steps{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{steps.size(), steps.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

class ReadByKernel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { refused_ = refuse_writes(); }
  void SetUp() override {
    if (!refused_) GTEST_SKIP() << "no filter of system calls here";
    if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  }
  window<word, promise> make() {
    window_options options;
    options.hints.set("oriel_move_private", "false");
    return window<word, promise>::create(world(), std::span(memory_), options);
  }

  std::vector<word> memory_ = std::vector<word>(longest, 0);

 private:
  static inline bool refused_ = false;
};

TEST_F(ReadByKernel, AccumulatesAreDoneOnce) {
  auto w = make();
  const rank next = world().next();
  for (const std::size_t n : {1u, 100u, 512u, 4096u, 60'000u, 100'000u}) {
    std::fill(memory_.begin(), memory_.end(), 7);
    world().barrier().or_throw();
    {
      auto epoch = w.lock_all();
      const std::vector<word> ones(n, 1);
      std::vector<word> before(n, 9);
      EXPECT_TRUE(w.accumulate(atomic_op::sum, next, disp{0}, std::span(ones)).ok());
      EXPECT_TRUE(
          w.get_accumulate(atomic_op::sum, next, disp{0}, std::span(ones), std::span(before)).ok());
      EXPECT_TRUE(epoch.end().ok()) << w.failure();
      EXPECT_EQ(before, std::vector<word>(n, 8)) << n;
    }
    world().barrier().or_throw();
    EXPECT_EQ(std::vector<word>(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(n)),
              std::vector<word>(n, 9));
    world().barrier().or_throw();
  }
}

TEST_F(ReadByKernel, StridedOnesToo) {
  constexpr std::size_t n = 4000;
  auto w = make();
  const shape dense{datatype::of<word>(), n};
  const shape every_second{datatype::vector(n, 1, 2, datatype::of<word>()), 1};
  const std::vector<word> ones(n, 1), twos(n, 2);
  std::vector<word> before(n, 9), back(n, 9);
  const rank next = world().next();
  {
    auto epoch = w.lock_all();
    const auto add = [&](std::vector<word>& results) {
      return w.any().get_accumulate(atomic_op::sum, next, disp{0}, ones.data(), dense,
                                    results.data(), dense, every_second);
    };
    EXPECT_TRUE(w.accumulate(atomic_op::sum, next, disp{0}, ones.data(), dense, every_second).ok());
    EXPECT_TRUE(add(before).ok());
    EXPECT_EQ(before, ones);
    EXPECT_TRUE(w.put(next, disp{1}, twos.data(), dense, every_second).ok());
    EXPECT_TRUE(add(before).ok());
    EXPECT_EQ(before, twos);
    EXPECT_TRUE(w.get(next, disp{1}, back.data(), dense, every_second).ok());
    EXPECT_TRUE(epoch.end().ok()) << w.failure();
    EXPECT_EQ(back, twos);
  }
  world().barrier().or_throw();
  for (std::size_t i = 0; i < 2 * n; ++i) EXPECT_EQ(memory_[i], i % 2 == 0 ? 3u : 2u);
  world().barrier().or_throw();
}

TEST_F(ReadByKernel, PutsArrive) {
  auto w = make();
  const rank next = world().next();
  {
    auto epoch = w.lock_all();
    const std::vector<word> sent(longest, 5);
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(w.put(next, disp{i}, 3).ok());
    EXPECT_TRUE(w.put(next, disp{100}, std::span(sent).subspan(100)).ok());
    EXPECT_TRUE(epoch.end().ok()) << w.failure();
  }
  world().barrier().or_throw();
  for (std::size_t i = 0; i < longest; ++i) EXPECT_EQ(memory_[i], i < 100 ? 3u : 5u);
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
