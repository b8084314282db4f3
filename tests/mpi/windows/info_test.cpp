// Hints given and answered, and the kinds of memory that MPI 4.1 names.
#include <string>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

class hints {
 public:
  hints() { MPI_Info_create(&handle); }
  explicit hints(MPI_Info of) : handle(of) {}
  hints(const hints&) = delete;
  hints& operator=(const hints&) = delete;
  ~hints() { MPI_Info_free(&handle); }
  void set(const char* key, const char* value) { MPI_Info_set(handle, key, value); }
  // "-" where the key is not there.
  [[nodiscard]] std::string get(const char* key) const {
    char value[MPI_MAX_INFO_VAL] = {};
    int found = 0;
    MPI_Info_get(handle, key, MPI_MAX_INFO_VAL - 1, value, &found);
    return found != 0 ? value : "-";
  }
  MPI_Info handle = MPI_INFO_NULL;
};

MPI_Info of_window(MPI_Win win) {
  MPI_Info used = MPI_INFO_NULL;
  ok(MPI_Win_get_info(win, &used));
  return used;
}
MPI_Info of_comm(MPI_Comm comm) {
  MPI_Info used = MPI_INFO_NULL;
  ok(MPI_Comm_get_info(comm, &used));
  return used;
}

const test_case usual("info.the hints of windows", [] {
  if (!served()) return;
  const allocated<int> plain(1);
  const hints usual(of_window(plain.win));
  same(usual.get("no_locks"), "false", "no_locks");
  same(usual.get("same_size"), "false", "same_size");
  same(usual.get("same_disp_unit"), "false", "same_disp_unit");
  same(usual.get("accumulate_ordering"), "rar,raw,war,waw", "accumulate_ordering");
  same(usual.get("accumulate_ops"), "same_op_no_op", "accumulate_ops");

  hints given;
  given.set("accumulate_ordering", "none");
  given.set("accumulate_ops", "same_op");
  given.set("same_size", "true");
  given.set("a key that nobody knows", "1");
  const allocated<int> made(1, MPI_COMM_WORLD, given.handle);
  const hints used(of_window(made.win));
  same(used.get("accumulate_ordering"), "none", "accumulate_ordering, as given");
  same(used.get("accumulate_ops"), "same_op", "accumulate_ops, as given");
  same(used.get("same_size"), "true", "same_size, as given");
  hints later;
  later.set("same_disp_unit", "true");
  ok(MPI_Win_set_info(made.win, later.handle));
  const hints now(of_window(made.win));
  same(now.get("same_disp_unit"), "true", "same_disp_unit, set later");
  same(now.get("same_size"), "true", "same_size, left alone");
  ok(MPI_Win_set_info(made.win, MPI_INFO_NULL));
});

const test_case no_locks("info.no_locks", [] {
  hints given;
  given.set("no_locks", "true");
  const allocated<int> made(1, MPI_COMM_WORLD, given.handle);
  const int value = 1 + rank_in();
  ok(MPI_Win_fence(0, made.win));
  ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
  ok(MPI_Win_fence(0, made.win));
  same(made.at[0], 1 + last_rank(), "the word");
  if (!served()) return;
  same(hints(of_window(made.win)).get("no_locks"), "true", "no_locks, as given");
  int code = MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, made.win);
  expect(code != MPI_SUCCESS, "a lock that the hint has ruled out is refused");
  code = MPI_Win_lock_all(0, made.win);
  expect(code != MPI_SUCCESS, "and so is a lock_all");
  hints later;
  later.set("no_locks", "false");
  later.set("accumulate_ordering", "none");
  ok(MPI_Win_set_info(made.win, later.handle));
  const hints now(of_window(made.win));
  same(now.get("no_locks"), "true", "no_locks, which cannot be taken back");
  same(now.get("accumulate_ordering"), "rar,raw,war,waw", "accumulate_ordering, likewise");
  ok(MPI_Win_fence(0, made.win));
});

// MPI_MODE_NOCHECK promises that no conflicting lock is held, so the window runs no protocol.
const test_case no_locks_no_check("info.no_locks, and locks that check nothing", [] {
  if (!served()) return;
  hints given;
  given.set("no_locks", "true");
  const allocated<int> made(4, MPI_COMM_WORLD, given.handle);
  const int value = 1 + rank_in(), target = next_rank();
  ok(MPI_Win_lock_all(MPI_MODE_NOCHECK, made.win));
  ok(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, made.win));
  ok(MPI_Win_flush(target, made.win));
  ok(MPI_Put(&value, 1, MPI_INT, target, 1, 1, MPI_INT, made.win));
  ok(MPI_Win_unlock_all(made.win));
  int word = 2;
  for (const int type : {MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE}) {
    ok(MPI_Win_lock(type, target, MPI_MODE_NOCHECK, made.win));
    ok(MPI_Put(&value, 1, MPI_INT, target, word++, 1, MPI_INT, made.win));
    ok(MPI_Win_unlock(target, made.win));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  ok(MPI_Win_lock_all(MPI_MODE_NOCHECK, made.win));
  for (int i = 0; i < 4; ++i) {
    int seen = 0;
    ok(MPI_Get(&seen, 1, MPI_INT, rank_in(), i, 1, MPI_INT, made.win));
    ok(MPI_Win_flush_local(rank_in(), made.win));
    same(seen, 1 + last_rank(), "what was put under a lock");
  }
  ok(MPI_Win_unlock_all(made.win));
  MPI_Barrier(MPI_COMM_WORLD);
});

const test_case alignment("info.mpi_minimum_memory_alignment", [] {
  if (!served()) return;
  hints given;
  given.set("mpi_minimum_memory_alignment", "4096");
  const allocated<int> made(3, MPI_COMM_WORLD, given.handle);
  same(reinterpret_cast<std::uintptr_t>(made.at) % 4096, 0U, "the place in a page");
  same(hints(of_window(made.win)).get("mpi_minimum_memory_alignment"), "4096", "the hint");
  int* memory = nullptr;
  ok(MPI_Alloc_mem(12, given.handle, &memory));
  same(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0U, "the place of MPI_Alloc_mem's");
  ok(MPI_Free_mem(memory));
});

const test_case kinds("info.kinds of memory", [] {
  if (!served()) return;
  const std::string provided = hints(of_comm(MPI_COMM_WORLD)).get("mpi_memory_alloc_kinds");
  expect(provided.find("mpi") != std::string::npos && provided.find("system") != std::string::npos,
         "the kinds that are provided: " + provided);
  {
    const allocated<int> made(1);
    same(hints(of_window(made.win)).get("mpi_memory_alloc_kinds"), provided, "a window's kinds");
    same(hints(of_window(made.win)).get("mpi_assert_memory_alloc_kinds"), "-", "what it asserts");
  }
  hints system, strange;
  system.set("mpi_assert_memory_alloc_kinds", "system,mpi:alloc_mem");
  strange.set("mpi_assert_memory_alloc_kinds", "system,abacus");
  {
    const allocated<int> made(1, MPI_COMM_WORLD, system.handle);
    same(hints(of_window(made.win)).get("mpi_assert_memory_alloc_kinds"), "system,mpi:alloc_mem",
         "what is asserted");
    int value = rank_in();
    MPI_Win_fence(0, made.win);
    ok(MPI_Put(&value, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
    MPI_Win_fence(0, made.win);
    same(made.at[0], last_rank(), "the word");
    const allocated<int> other(1, MPI_COMM_WORLD, strange.handle);
    same(hints(of_window(other.win)).get("mpi_assert_memory_alloc_kinds"), "-",
         "an assertion with a kind that is not provided, ignored as a whole");
  }
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  ok(MPI_Comm_set_info(copy, system.handle));
  same(hints(of_comm(copy)).get("mpi_assert_memory_alloc_kinds"), "system,mpi:alloc_mem",
       "what is asserted on a communicator");
  {
    const allocated<int> made(1, copy);
    same(hints(of_window(made.win)).get("mpi_assert_memory_alloc_kinds"), "system,mpi:alloc_mem",
         "what a window has from its communicator");
  }
  MPI_Comm_free(&copy);
  same(hints(of_comm(MPI_COMM_WORLD)).get("mpi_assert_memory_alloc_kinds"), "-",
       "what is asserted of the world still");
});

}  // namespace
}  // namespace oriel::mpi_test
