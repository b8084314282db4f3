// MPI_Win_fence, post, start, complete, wait and test (MPI-4.1 §12.5.1, §12.5.2).
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/epochs.hpp"
#include "mpi/failures.hpp"
#include "mpi/host.hpp"
#include "mpi/process.hpp"

namespace oriel::mpi {
namespace {

sync_mode mode_of(int given) noexcept {
  sync_mode mode = no_mode;
  if ((given & MPI_MODE_NOCHECK) != 0) mode = mode | nocheck;
  if ((given & MPI_MODE_NOSTORE) != 0) mode = mode | nostore;
  if ((given & MPI_MODE_NOPUT) != 0) mode = mode | noput;
  if ((given & MPI_MODE_NOPRECEDE) != 0) mode = mode | noprecede;
  if ((given & MPI_MODE_NOSUCCEED) != 0) mode = mode | nosucceed;
  return mode;
}

// The group's processes as ranks of the window.
int members_of(mpi_window& w, call_site at, const char* what, MPI_Group group,
               std::vector<rank>& members) {
  int n = 0;
  if (group == MPI_GROUP_NULL || PMPI_Group_size(group, &n) != MPI_SUCCESS)
    return raise_class(w, at, MPI_ERR_GROUP, std::string(what) + ": this is no group");
  // In pieces that need no memory of their own: the other side waits for this.
  std::array<int, 32> here, there;
  members.clear();
  for (int first = 0; first < n; first += static_cast<int>(here.size())) {
    const int some = std::min(n - first, static_cast<int>(here.size()));
    std::iota(here.begin(), here.begin() + some, first);
    PMPI_Group_translate_ranks(group, some, here.data(), w.group, there.data());
    for (int i = 0; i < some; ++i) {
      const int r = there[static_cast<std::size_t>(i)];
      if (r == MPI_UNDEFINED)
        return raise_class(
            w, at, MPI_ERR_GROUP,
            std::string(what) + ": a process of the group has no part in the window");
      members.emplace_back(r);
    }
  }
  return MPI_SUCCESS;
}

int fence(mpi_window& w, call_site at, int assertions) noexcept {
  if (const int bad = check_assertions(w, at, "MPI_Win_fence", assertions); bad != MPI_SUCCESS)
    return bad;
  if (access_is_open(w) || w.posted)
    return out_of_epoch(w, at, "MPI_Win_fence", "an epoch of another kind is open");
  const host_progress progress;
  const status s = w.any.fence(mode_of(assertions), at);
  if (!s.ok()) return raise(w, s.code());
  const bool opens = (assertions & MPI_MODE_NOSUCCEED) == 0;
  w.fenced.store(opens, std::memory_order_relaxed);
  w.all_open.store(opens ? 1 : 0, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

int post(mpi_window& w, call_site at, MPI_Group group, int assertions) noexcept {
  if (const int bad = check_assertions(w, at, "MPI_Win_post", assertions); bad != MPI_SUCCESS)
    return bad;
  if (w.posted) return out_of_epoch(w, at, "MPI_Win_post", "an exposure epoch is open already");
  if (const int bad = members_of(w, at, "MPI_Win_post", group, w.origins); bad != MPI_SUCCESS)
    return bad;
  const host_progress progress;
  const status s = w.any.post(w.origins, mode_of(assertions), at);
  if (!s.ok()) return raise(w, s.code());
  w.posted = true;
  return MPI_SUCCESS;
}

int start(mpi_window& w, call_site at, MPI_Group group, int assertions) noexcept {
  if (const int bad = check_assertions(w, at, "MPI_Win_start", assertions); bad != MPI_SUCCESS)
    return bad;
  if (access_is_open(w))
    return out_of_epoch(w, at, "MPI_Win_start", "an access epoch is open already");
  if (const int bad = members_of(w, at, "MPI_Win_start", group, w.started); bad != MPI_SUCCESS)
    return bad;
  const host_progress progress;
  const status s = w.any.start(w.started, mode_of(assertions), at);
  if (!s.ok()) return raise(w, s.code());
  forget_fence(w);
  for (const rank r : w.started) w.target(r.value).open.store(1, std::memory_order_relaxed);
  w.starting = true;
  return MPI_SUCCESS;
}

int complete(mpi_window& w, call_site at) noexcept {
  if (!w.starting)
    return out_of_epoch(w, at, "MPI_Win_complete", "MPI_Win_start did not precede it");
  const host_progress progress;
  const status s = w.any.complete(at);
  for (const rank r : w.started) w.target(r.value).open.store(0, std::memory_order_relaxed);
  w.starting = false;
  return code_of(w, s);
}

int wait(mpi_window& w, call_site at) noexcept {
  if (!w.posted) return out_of_epoch(w, at, "MPI_Win_wait", "MPI_Win_post did not precede it");
  const host_progress progress;
  const status s = w.any.wait(at);
  w.posted = false;
  return code_of(w, s);
}

int test(mpi_window& w, call_site at, int* done) noexcept {
  if (!w.posted) return out_of_epoch(w, at, "MPI_Win_test", "MPI_Win_post did not precede it");
  // Through the table, whose code distinguishes a failure from "not yet".
  const detail::window_view& view = w.any.view();
  bool ended = false;
  const status s = view.ops->wait(*view.core, &ended, at);
  *done = ended ? 1 : 0;
  if (ended || !s.ok())
    w.posted = false;
  else
    make_host_progress();  // what the origins may be waiting for
  return code_of(w, s);
}

}  // namespace
}  // namespace oriel::mpi

using oriel::mpi::find_window;

ORIEL_EXPORT int MPI_Win_fence(int assertions, MPI_Win win) {
  if (auto* const w = find_window(win)) return oriel::mpi::fence(*w, ORIEL_CALLER, assertions);
  return ORIEL_HOST(Win_fence)(assertions, win);
}
ORIEL_ALSO_PMPI(Win_fence);

ORIEL_EXPORT int MPI_Win_post(MPI_Group group, int assertions, MPI_Win win) {
  if (auto* const w = find_window(win))
    return oriel::mpi::post(*w, ORIEL_CALLER, group, assertions);
  return ORIEL_HOST(Win_post)(group, assertions, win);
}
ORIEL_ALSO_PMPI(Win_post);

ORIEL_EXPORT int MPI_Win_start(MPI_Group group, int assertions, MPI_Win win) {
  if (auto* const w = find_window(win))
    return oriel::mpi::start(*w, ORIEL_CALLER, group, assertions);
  return ORIEL_HOST(Win_start)(group, assertions, win);
}
ORIEL_ALSO_PMPI(Win_start);

ORIEL_EXPORT int MPI_Win_complete(MPI_Win win) {
  if (auto* const w = find_window(win)) return oriel::mpi::complete(*w, ORIEL_CALLER);
  return ORIEL_HOST(Win_complete)(win);
}
ORIEL_ALSO_PMPI(Win_complete);

ORIEL_EXPORT int MPI_Win_wait(MPI_Win win) {
  if (auto* const w = find_window(win)) return oriel::mpi::wait(*w, ORIEL_CALLER);
  return ORIEL_HOST(Win_wait)(win);
}
ORIEL_ALSO_PMPI(Win_wait);

ORIEL_EXPORT int MPI_Win_test(MPI_Win win, int* done) {
  if (auto* const w = find_window(win)) return oriel::mpi::test(*w, ORIEL_CALLER, done);
  return ORIEL_HOST(Win_test)(win, done);
}
ORIEL_ALSO_PMPI(Win_test);
