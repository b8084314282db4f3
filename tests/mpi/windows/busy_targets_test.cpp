// Targets that make no call on the window while they are accessed: they wait in a receive of the
// host's, or compute. MPI has operations complete all the same (MPI-4.1 §12.7.3), in epochs of
// every kind, whatever the window's hints say.
#include <numeric>
#include <vector>

#include "tests/mpi/common_word.hpp"
#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

// How a rank that is accessed passes the time until the origin has gone on.
enum class pastime : bool { receives, computes };

class meeting {
 public:
  explicit meeting(pastime p) : pastime_(p) {}
  // By the origin, and by the target.
  void gone_on(int target) {
    if (pastime_ == pastime::receives)
      ok(MPI_Send(nullptr, 0, MPI_BYTE, target, 3, MPI_COMM_WORLD));
    else
      beside_.raise();
  }
  void wait_for(int origin) {
    if (pastime_ == pastime::receives)
      ok(MPI_Recv(nullptr, 0, MPI_BYTE, origin, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    else
      beside_.compute_until(++awaited_);
  }

 private:
  pastime pastime_;
  common_word beside_;
  int awaited_ = 0;
};

// A window of one of the kinds that programs have: oriel's memory, or memory of their own.
class window_without_locks {
 public:
  window_without_locks(int n, bool own_memory) : memory_(static_cast<std::size_t>(n), 0) {
    MPI_Info hints = MPI_INFO_NULL;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "no_locks", "true");
    if (own_memory) {
      at = memory_.data();
      ok(MPI_Win_create(at, n * 4, 4, hints, MPI_COMM_WORLD, &win));
    } else {
      ok(MPI_Win_allocate(n * 4, 4, hints, MPI_COMM_WORLD, &at, &win));
      for (int i = 0; i < n; ++i) at[i] = 0;
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Info_free(&hints);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  window_without_locks(const window_without_locks&) = delete;
  window_without_locks& operator=(const window_without_locks&) = delete;
  ~window_without_locks() { ok(MPI_Win_free(&win)); }

  int* at = nullptr;
  MPI_Win win = MPI_WIN_NULL;

 private:
  std::vector<int> memory_;
};

constexpr int words = 3000;  // more operations than may be under way to another node at a time

template <class Work>
void in_each_way(Work work) {
  if (size_of() < 2) return;
  for (const bool own_memory : {false, true})
    for (const pastime p : {pastime::receives, pastime::computes}) work(own_memory, p);
}

// The last rank is the target, which with several nodes is on another one than rank 0.
const test_case pscw("busy targets.start, put, complete, and then a message", [] {
  in_each_way([](bool own_memory, pastime p) {
    const window_without_locks made(2, own_memory);
    meeting met(p);
    const int target = size_of() - 1, value = 5;
    if (rank_in() == 0) {
      const group exposed({target});
      ok(MPI_Win_start(exposed.handle, 0, made.win));
      ok(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, made.win));
      ok(MPI_Accumulate(&value, 1, MPI_INT, target, 1, 1, MPI_INT, MPI_SUM, made.win));
      ok(MPI_Win_complete(made.win));
      met.gone_on(target);
    } else if (rank_in() == target) {
      const group origin({0});
      ok(MPI_Win_post(origin.handle, 0, made.win));
      met.wait_for(0);
      ok(MPI_Win_wait(made.win));
      same(made.at[0], 5, "what was put in the epoch");
      same(made.at[1], 5, "what was added in the epoch");
    }
  });
});

const test_case fences("busy targets.many operations in a fence's epoch, and then a message", [] {
  in_each_way([](bool own_memory, pastime p) {
    const window_without_locks made(2 * words, own_memory);
    meeting met(p);
    const int target = size_of() - 1;
    std::vector<int> sent(words);  // which stays as it is until the fence
    std::iota(sent.begin(), sent.end(), 0);
    ok(MPI_Win_fence(0, made.win));
    if (rank_in() == 0) {
      for (int i = 0; i < words; ++i) {
        const int* const value = &sent[static_cast<std::size_t>(i)];
        ok(MPI_Put(value, 1, MPI_INT, target, i, 1, MPI_INT, made.win));
        if (i % 4 != 0) continue;
        ok(MPI_Accumulate(value, 1, MPI_INT, target, words + i, 1, MPI_INT, MPI_SUM, made.win));
      }
      met.gone_on(target);
    } else if (rank_in() == target) {
      met.wait_for(0);
    }
    ok(MPI_Win_fence(MPI_MODE_NOSUCCEED, made.win));
    if (rank_in() != target) return;
    int right = 0;
    for (int i = 0; i < words; ++i)
      right += made.at[i] == i && made.at[words + i] == (i % 4 == 0 ? i : 0) ? 1 : 0;
    same(right, words, "the number of words that have come");
  });
});

// A post is local: the origin may be anywhere.
const test_case posts("busy targets.a post to a rank that is elsewhere", [] {
  in_each_way([](bool own_memory, pastime p) {
    const window_without_locks made(1, own_memory);
    meeting met(p);
    const int target = size_of() - 1, value = 5;
    if (rank_in() == target) {
      const group origin({0});
      ok(MPI_Win_post(origin.handle, 0, made.win));
      met.gone_on(0);
      ok(MPI_Win_wait(made.win));
      same(made.at[0], 5, "what was put in the epoch");
    } else if (rank_in() == 0) {
      met.wait_for(target);
      const group exposed({target});
      ok(MPI_Win_start(exposed.handle, 0, made.win));
      ok(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, made.win));
      ok(MPI_Win_complete(made.win));
    }
  });
});

// As with locks, which need no hint.
const test_case passive("busy targets.fetches under a lock", [] {
  if (size_of() < 2) return;
  for (const pastime p : {pastime::receives, pastime::computes}) {
    const allocated<long> made(1);
    meeting met(p);
    const int target = size_of() - 1;
    if (rank_in() == 0) {
      ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, made.win));
      for (long i = 0; i < 50; ++i) {
        const long one = 1;
        long before = -1;
        ok(MPI_Fetch_and_op(&one, &before, MPI_LONG, target, 0, MPI_SUM, made.win));
        ok(MPI_Win_flush(target, made.win));
        same(before, i, "what was fetched");
      }
      ok(MPI_Win_unlock(target, made.win));
      met.gone_on(target);
    } else if (rank_in() == target) {
      met.wait_for(0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
});

}  // namespace
}  // namespace oriel::mpi_test
