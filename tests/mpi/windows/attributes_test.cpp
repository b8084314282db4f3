// What a window says of itself, and what programs hang on it: attributes, names, groups, handlers.
#include <cstring>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

void check(MPI_Win win, void* base, MPI_Aint size, int unit, int flavor) {
  void* value = nullptr;
  int found = 0;
  ok(MPI_Win_get_attr(win, MPI_WIN_BASE, static_cast<void*>(&value), &found));
  expect(found != 0 && value == base, "MPI_WIN_BASE");
  ok(MPI_Win_get_attr(win, MPI_WIN_SIZE, static_cast<void*>(&value), &found));
  same(found != 0 ? *static_cast<MPI_Aint*>(value) : -1, size, "MPI_WIN_SIZE");
  const auto number = [&](int key) {
    ok(MPI_Win_get_attr(win, key, static_cast<void*>(&value), &found));
    return found != 0 ? *static_cast<int*>(value) : -1;
  };
  same(number(MPI_WIN_DISP_UNIT), unit, "MPI_WIN_DISP_UNIT");
  same(number(MPI_WIN_CREATE_FLAVOR), flavor, "MPI_WIN_CREATE_FLAVOR");
  const int model = number(MPI_WIN_MODEL);
  expect(model == MPI_WIN_UNIFIED || (!served() && model == MPI_WIN_SEPARATE), "MPI_WIN_MODEL");
}

const test_case predefined("attributes.each flavor's", [] {
  const int bytes = 8 * (1 + rank_in());
  std::vector<char> memory(static_cast<std::size_t>(bytes));
  void* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  ok(MPI_Win_create(memory.data(), bytes, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  check(win, memory.data(), bytes, 2, MPI_WIN_FLAVOR_CREATE);
  ok(MPI_Win_free(&win));
  ok(MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  check(win, base, bytes, 4, MPI_WIN_FLAVOR_ALLOCATE);
  ok(MPI_Win_free(&win));
  ok(MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
  check(win, base, bytes, 8, MPI_WIN_FLAVOR_SHARED);
  ok(MPI_Win_free(&win));
  ok(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  check(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
  ok(MPI_Win_free(&win));
});

struct memo {
  int deleted = 0;
  int value_seen = 0;
  int ranks_seen = 0;
};

// The window is still valid when MPI deletes its attributes.
int forget(MPI_Win win, int, void* value, void* extra) {
  auto* const m = static_cast<memo*>(extra);
  ++m->deleted;
  m->value_seen = *static_cast<int*>(value);
  void* base = nullptr;
  int found = 0;
  MPI_Win_get_attr(win, MPI_WIN_BASE, static_cast<void*>(&base), &found);
  if (found != 0 && base != nullptr) m->value_seen += *static_cast<int*>(base);
  MPI_Group everyone = MPI_GROUP_NULL;
  MPI_Win_get_group(win, &everyone);
  MPI_Group_size(everyone, &m->ranks_seen);
  MPI_Group_free(&everyone);
  return MPI_SUCCESS;
}

const test_case of_users("attributes.of the program's own", [] {
  memo seen;
  int value = 1000, other = 2000, key = MPI_KEYVAL_INVALID, found = 0;
  void* answer = nullptr;
  ok(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget, &key, &seen));
  {
    const allocated<int> made(1);
    made.at[0] = 5;
    ok(MPI_Win_get_attr(made.win, key, static_cast<void*>(&answer), &found));
    same(found, 0, "an attribute that was not set");
    ok(MPI_Win_set_attr(made.win, key, &value));
    ok(MPI_Win_get_attr(made.win, key, static_cast<void*>(&answer), &found));
    expect(found != 0 && answer == &value, "the attribute that was set");
    ok(MPI_Win_delete_attr(made.win, key));
    same(seen.deleted, 1, "how often it was deleted");
    ok(MPI_Win_set_attr(made.win, key, &other));
  }
  same(seen.deleted, 2, "how often it was deleted, at the end of its window too");
  same(seen.ranks_seen, size_of(), "the ranks of the window, seen there");
  same(seen.value_seen, 2005, "the attribute and the memory, seen at the end of the window");
  ok(MPI_Win_free_keyval(&key));
});

const test_case names("attributes.names", [] {
  const allocated<int> made(1);
  char name[MPI_MAX_OBJECT_NAME] = "x";
  int length = -1;
  ok(MPI_Win_get_name(made.win, name, &length));
  same(length, static_cast<int>(std::strlen(name)), "the length of the first name");
  ok(MPI_Win_set_name(made.win, "pressure"));
  ok(MPI_Win_get_name(made.win, name, &length));
  same(std::string(name), "pressure", "the name");
});

const test_case groups("attributes.groups", [] {
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(), &reversed);
  {
    const allocated<int> made(1, reversed);
    MPI_Group of_window = MPI_GROUP_NULL, of_comm = MPI_GROUP_NULL;
    ok(MPI_Win_get_group(made.win, &of_window));
    MPI_Comm_group(reversed, &of_comm);
    int compared = MPI_UNEQUAL;
    MPI_Group_compare(of_window, of_comm, &compared);
    same(compared, int{MPI_IDENT}, "how the groups compare");
    MPI_Group_free(&of_window);
    MPI_Group_free(&of_comm);
  }
  MPI_Comm_free(&reversed);
});

const test_case fortran("attributes.handles of Fortran", [] {
  const allocated<int> made(1);
  expect(MPI_Win_f2c(MPI_Win_c2f(made.win)) == made.win, "the handle comes back");
});

}  // namespace
}  // namespace oriel::mpi_test
