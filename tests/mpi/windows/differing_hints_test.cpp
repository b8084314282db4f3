// Hints that some ranks give and others do not: the window is made all the same, and honours what
// all of them can rely on.
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

struct hint {
  const char* key;
  const char* value;
};

// A window that `some` ranks give hints for. Keeps the memory of MPI_Win_create.
class window_of_some {
 public:
  window_of_some(int flavor, bool some, const std::vector<hint>& given) : memory_(4, 0) {
    MPI_Info hints = MPI_INFO_NULL;
    if (some) {
      MPI_Info_create(&hints);
      for (const hint& h : given) MPI_Info_set(hints, h.key, h.value);
    }
    at = memory_.data();
    if (flavor == MPI_WIN_FLAVOR_CREATE)
      ok(MPI_Win_create(at, 16, 4, hints, MPI_COMM_WORLD, &win));
    else if (flavor == MPI_WIN_FLAVOR_ALLOCATE)
      ok(MPI_Win_allocate(16, 4, hints, MPI_COMM_WORLD, &at, &win));
    else if (flavor == MPI_WIN_FLAVOR_SHARED)
      ok(MPI_Win_allocate_shared(16, 4, hints, MPI_COMM_WORLD, &at, &win));
    else
      ok(MPI_Win_create_dynamic(hints, MPI_COMM_WORLD, &win));
    if (hints != MPI_INFO_NULL) MPI_Info_free(&hints);
    if (win == MPI_WIN_NULL) return;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < 4; ++i) at[i] = 0;
    MPI_Aint where = 0;
    if (flavor == MPI_WIN_FLAVOR_DYNAMIC) {
      ok(MPI_Win_attach(win, at, 16));
      MPI_Get_address(at, &where);
    }
    bases.resize(static_cast<std::size_t>(size_of()));
    MPI_Allgather(&where, 1, MPI_AINT, bases.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  }
  window_of_some(const window_of_some&) = delete;
  window_of_some& operator=(const window_of_some&) = delete;
  ~window_of_some() {
    if (win != MPI_WIN_NULL) ok(MPI_Win_free(&win));
  }
  // "-" where the window has no such hint.
  [[nodiscard]] std::string hint_in_force(const char* key) const {
    MPI_Info used = MPI_INFO_NULL;
    ok(MPI_Win_get_info(win, &used));
    std::array<char, MPI_MAX_INFO_VAL> value{};
    int found = 0;
    MPI_Info_get(used, key, MPI_MAX_INFO_VAL - 1, value.data(), &found);
    MPI_Info_free(&used);
    return found != 0 ? value.data() : "-";
  }

  int* at = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  std::vector<MPI_Aint> bases;  // of each rank's memory, where displacements are addresses

 private:
  std::vector<int> memory_;
};

// A put and a sum under a lock and in a fence's epoch: what any window does.
void use(const window_of_some& made) {
  const int one = 1, value = 7 + rank_in(), target = next_rank();
  const MPI_Aint base = made.bases[static_cast<std::size_t>(target)];
  const MPI_Aint step = base == 0 ? 1 : 4;
  ok(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, made.win));
  ok(MPI_Put(&value, 1, MPI_INT, target, base, 1, MPI_INT, made.win));
  ok(MPI_Win_unlock(target, made.win));
  ok(MPI_Win_lock_all(0, made.win));
  ok(MPI_Accumulate(&one, 1, MPI_INT, target, base + step, 1, MPI_INT, MPI_SUM, made.win));
  ok(MPI_Win_unlock_all(made.win));
  ok(MPI_Win_fence(0, made.win));
  ok(MPI_Put(&value, 1, MPI_INT, target, base + 2 * step, 1, MPI_INT, made.win));
  ok(MPI_Win_fence(MPI_MODE_NOSUCCEED, made.win));
  same(made.at[0], 7 + last_rank(), "what was put under a lock");
  same(made.at[1], 1, "what was added");
  same(made.at[2], 7 + last_rank(), "what was put between fences");
}

// By each constructor, given by the first rank alone and by the last one alone. Memory is shared on
// one node only.
void each_window(const std::vector<hint>& given,
                 const std::function<void(const window_of_some&, int flavor)>& look) {
  std::vector<int> flavors{MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_DYNAMIC};
  if (on_one_node()) flavors.push_back(MPI_WIN_FLAVOR_SHARED);
  for (const int flavor : flavors)
    for (const int who : {0, size_of() - 1}) {
      const window_of_some made(flavor, rank_in() == who, given);
      if (made.win != MPI_WIN_NULL) look(made, flavor);
    }
}

void is(const window_of_some& made, const char* key, const std::string& alone,
        const std::string& among_others) {
  same(made.hint_in_force(key), size_of() == 1 ? alone : among_others, std::string(key));
}

const test_case locks("differing hints.no_locks", [] {
  if (!served()) return;
  each_window({{"no_locks", "true"}}, [](const window_of_some& made, int) {
    is(made, "no_locks", "true", "false");
    if (size_of() > 1) use(made);
  });
});

const test_case ordering("differing hints.accumulate_ordering", [] {
  if (!served()) return;
  each_window({{"accumulate_ordering", "none"}}, [](const window_of_some& made, int) {
    is(made, "accumulate_ordering", "none", "rar,raw,war,waw");
    use(made);
  });
});

const test_case several("differing hints.several at once", [] {
  if (!served()) return;
  each_window({{"no_locks", "true"},
               {"accumulate_ordering", "none"},
               {"same_size", "true"},
               {"same_disp_unit", "true"},
               {"accumulate_ops", "same_op"},
               {"mpi_accumulate_granularity", "8"}},
              [](const window_of_some& made, int) {
                is(made, "no_locks", "true", "false");
                is(made, "accumulate_ordering", "none", "rar,raw,war,waw");
                is(made, "same_size", "true", "false");
                is(made, "same_disp_unit", "true", "false");
                is(made, "accumulate_ops", "same_op", "same_op_no_op");
                is(made, "mpi_accumulate_granularity", "8", "0");
                if (size_of() > 1) use(made);
              });
});

// Contiguous memory is what a rank may count on that has not allowed otherwise.
const test_case noncontiguous("differing hints.alloc_shared_noncontig", [] {
  if (!served()) return;
  each_window({{"alloc_shared_noncontig", "true"}}, [](const window_of_some& made, int flavor) {
    is(made, "alloc_shared_noncontig", "true", "false");
    use(made);
    if (flavor != MPI_WIN_FLAVOR_SHARED || size_of() == 1) return;
    for (int r = 1; r < size_of(); ++r) {
      MPI_Aint size = 0;
      int unit = 0;
      std::byte *before = nullptr, *here = nullptr;
      ok(MPI_Win_shared_query(made.win, r - 1, &size, &unit, &before));
      ok(MPI_Win_shared_query(made.win, r, &size, &unit, &here));
      same(here - before, std::ptrdiff_t{16}, "the way from one rank's memory to the next");
    }
  });
});

const test_case alignment("differing hints.mpi_minimum_memory_alignment", [] {
  if (!served()) return;
  each_window({{"mpi_minimum_memory_alignment", "4096"}},
              [](const window_of_some& made, int flavor) {
                use(made);
                if (flavor != MPI_WIN_FLAVOR_ALLOCATE && flavor != MPI_WIN_FLAVOR_SHARED) return;
                same(made.hint_in_force("mpi_minimum_memory_alignment"), "4096", "the hint");
                same(reinterpret_cast<std::uintptr_t>(made.at) % 4096, 0U, "the place in a page");
              });
});

// Of one process's buffers alone (MPI-4.1 §11.4.3).
const test_case kinds("differing hints.mpi_assert_memory_alloc_kinds", [] {
  if (!served()) return;
  each_window({{"mpi_assert_memory_alloc_kinds", "system"}},
              [](const window_of_some& made, int) { use(made); });
});

}  // namespace
}  // namespace oriel::mpi_test
