// MPI_Win_lock, unlock, lock_all, unlock_all, flush and its kin, sync (MPI-4.1 §12.5.3, §12.5.4).
#include <string>

#include "mpi/epochs.hpp"
#include "mpi/failures.hpp"
#include "mpi/host.hpp"
#include "mpi/process.hpp"

namespace oriel::mpi {
namespace {

sync_mode lock_mode_of(int given) noexcept {
  return (given & MPI_MODE_NOCHECK) != 0 ? nocheck : no_mode;
}

[[gnu::cold, gnu::noinline]] int no_such_rank(mpi_window& w, call_site at, const char* what,
                                              int r) noexcept {
  return raise_class(w, at, MPI_ERR_RANK,
                     std::string(what) + ": rank " + std::to_string(r) +
                         " is not one of the window's, 0 to " + std::to_string(w.ranks() - 1));
}

[[gnu::cold, gnu::noinline]] int ruled_out(mpi_window& w, call_site at, const char* what) noexcept {
  return raise_class(w, at, MPI_ERR_ASSERT,
                     std::string(what) + ": the window was made with the hint no_locks, which " +
                         "leaves locks with MPI_MODE_NOCHECK only");
}
bool is_ruled_out(const mpi_window& w, int assertions) noexcept {
  return w.no_locks && (assertions & MPI_MODE_NOCHECK) == 0;
}

// Whatever this process still owes to the window it owes to the host's messages too.
template <class Work>
status wait_in(Work work) noexcept {
  const host_progress progress;
  return work();
}

// A program may wait by flush or sync in a loop until another rank has written; that rank may be
// waiting for a message of this one's. An Iprobe costs some 100 ns, so 256 of these share it: about
// a microsecond of such a loop.
void take_turn(mpi_window& w) noexcept {
  constexpr std::uint32_t polls_of_a_turn = 256;
  const std::uint32_t polls = w.polls.load(std::memory_order_relaxed) + 1;
  w.polls.store(polls, std::memory_order_relaxed);
  if (polls % polls_of_a_turn == 0) [[unlikely]]
    make_host_progress();
}

int lock(mpi_window& w, call_site at, int type, int r, int assertions) noexcept {
  constexpr const char* what = "MPI_Win_lock";
  if (const int bad = check_assertions(w, at, what, assertions); bad != MPI_SUCCESS) return bad;
  if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
    return raise_class(w, at, MPI_ERR_LOCKTYPE, std::string(what) + ": this is no type of lock");
  if (is_ruled_out(w, assertions)) [[unlikely]]
    return ruled_out(w, at, what);
  if (r == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!w.is_rank(r)) return no_such_rank(w, at, what, r);
  target_entry& t = w.target(r);
  if (w.all_locked || w.starting || t.open.load(std::memory_order_relaxed) != 0)
    return out_of_epoch(w, at, what, "an access epoch for this rank is open already");
  // Without a check the kinds of locks do not differ.
  const lock_kind kind =
      type == MPI_LOCK_SHARED || w.no_locks ? lock_kind::shared : lock_kind::exclusive;
  const status s = wait_in([&] { return w.any.lock(kind, rank{r}, lock_mode_of(assertions), at); });
  if (!s.ok()) return raise(w, s.code());
  forget_fence(w);
  t.open.store(1, std::memory_order_relaxed);
  w.count_lock(1);
  return MPI_SUCCESS;
}

int unlock(mpi_window& w, call_site at, int r) noexcept {
  constexpr const char* what = "MPI_Win_unlock";
  if (r == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!w.is_rank(r)) return no_such_rank(w, at, what, r);
  target_entry& t = w.target(r);
  if (w.starting || t.open.load(std::memory_order_relaxed) == 0)
    return out_of_epoch(w, at, what, "the rank is not locked");
  const status s = wait_in([&] { return w.any.unlock(rank{r}, at); });
  t.open.store(0, std::memory_order_relaxed);
  w.count_lock(-1);
  return code_of(w, s);
}

int lock_all(mpi_window& w, call_site at, int assertions) noexcept {
  if (const int bad = check_assertions(w, at, "MPI_Win_lock_all", assertions); bad != MPI_SUCCESS)
    return bad;
  if (is_ruled_out(w, assertions)) [[unlikely]]
    return ruled_out(w, at, "MPI_Win_lock_all");
  if (access_is_open(w))
    return out_of_epoch(w, at, "MPI_Win_lock_all", "an access epoch is open already");
  const status s = wait_in([&] { return w.any.lock_all(lock_mode_of(assertions), at); });
  if (!s.ok()) return raise(w, s.code());
  forget_fence(w);
  w.all_open.store(1, std::memory_order_relaxed);
  w.all_locked.store(true, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

int unlock_all(mpi_window& w, call_site at) noexcept {
  if (!w.all_locked)
    return out_of_epoch(w, at, "MPI_Win_unlock_all", "lock_all did not precede it");
  const status s = wait_in([&] { return w.any.unlock_all(at); });
  w.all_open.store(0, std::memory_order_relaxed);
  w.all_locked.store(false, std::memory_order_relaxed);
  return code_of(w, s);
}

// Where nothing is under way, as always within a node, a flush is a full fence. Acquire, since a
// local flush has no fence: results that another thread has received are read after it.
int flush_some(mpi_window& w, call_site at, rank r, flush_scope scope) noexcept {
  take_turn(w);
  const detail::window_hot& hot = *w.face.any.view().hot;
  if (hot.pending.load(std::memory_order_acquire) != 0) [[unlikely]]
    return code_of(w, w.any.flush(r, scope, at));
  if (scope == flush_scope::target) std::atomic_thread_fence(std::memory_order_seq_cst);
  const auto first = static_cast<errc>(hot.first_error.load(std::memory_order_relaxed));
  return first == errc::success ? MPI_SUCCESS : raise(w, first);
}

int flush(mpi_window& w, call_site at, const char* what, int r, flush_scope scope) noexcept {
  if (r == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!w.is_rank(r)) [[unlikely]]
    return no_such_rank(w, at, what, r);
  if (!w.all_locked.load(std::memory_order_relaxed) &&
      (w.target(r).open.load(std::memory_order_relaxed) == 0 || w.starting)) [[unlikely]]
    return out_of_epoch(w, at, what, "the rank is not locked");
  return flush_some(w, at, rank{r}, scope);
}

int flush_all(mpi_window& w, call_site at, const char* what, flush_scope scope) noexcept {
  if (!passive_is_open(w)) [[unlikely]]
    return out_of_epoch(w, at, what, "no rank is locked");
  return flush_some(w, at, any_rank, scope);
}

int sync(mpi_window& w, call_site at) noexcept {
  take_turn(w);
  return code_of(w, w.any.sync(at));
}

}  // namespace
}  // namespace oriel::mpi

using oriel::flush_scope;
using oriel::mpi::find_window;

ORIEL_EXPORT int MPI_Win_lock(int type, int rank, int assertions, MPI_Win win) {
  if (auto* const w = find_window(win))
    return oriel::mpi::lock(*w, ORIEL_CALLER, type, rank, assertions);
  return ORIEL_HOST(Win_lock)(type, rank, assertions, win);
}
ORIEL_ALSO_PMPI(Win_lock);

ORIEL_EXPORT int MPI_Win_unlock(int rank, MPI_Win win) {
  if (auto* const w = find_window(win)) return oriel::mpi::unlock(*w, ORIEL_CALLER, rank);
  return ORIEL_HOST(Win_unlock)(rank, win);
}
ORIEL_ALSO_PMPI(Win_unlock);

ORIEL_EXPORT int MPI_Win_lock_all(int assertions, MPI_Win win) {
  if (auto* const w = find_window(win)) return oriel::mpi::lock_all(*w, ORIEL_CALLER, assertions);
  return ORIEL_HOST(Win_lock_all)(assertions, win);
}
ORIEL_ALSO_PMPI(Win_lock_all);

ORIEL_EXPORT int MPI_Win_unlock_all(MPI_Win win) {
  if (auto* const w = find_window(win)) return oriel::mpi::unlock_all(*w, ORIEL_CALLER);
  return ORIEL_HOST(Win_unlock_all)(win);
}
ORIEL_ALSO_PMPI(Win_unlock_all);

ORIEL_EXPORT int MPI_Win_flush(int rank, MPI_Win win) {
  if (auto* const w = find_window(win)) [[likely]]
    return oriel::mpi::flush(*w, ORIEL_CALLER, "MPI_Win_flush", rank, flush_scope::target);
  return ORIEL_HOST(Win_flush)(rank, win);
}
ORIEL_ALSO_PMPI(Win_flush);

ORIEL_EXPORT int MPI_Win_flush_local(int rank, MPI_Win win) {
  if (auto* const w = find_window(win)) [[likely]]
    return oriel::mpi::flush(*w, ORIEL_CALLER, "MPI_Win_flush_local", rank, flush_scope::local);
  return ORIEL_HOST(Win_flush_local)(rank, win);
}
ORIEL_ALSO_PMPI(Win_flush_local);

ORIEL_EXPORT int MPI_Win_flush_all(MPI_Win win) {
  if (auto* const w = find_window(win)) [[likely]]
    return oriel::mpi::flush_all(*w, ORIEL_CALLER, "MPI_Win_flush_all", flush_scope::target);
  return ORIEL_HOST(Win_flush_all)(win);
}
ORIEL_ALSO_PMPI(Win_flush_all);

ORIEL_EXPORT int MPI_Win_flush_local_all(MPI_Win win) {
  if (auto* const w = find_window(win)) [[likely]]
    return oriel::mpi::flush_all(*w, ORIEL_CALLER, "MPI_Win_flush_local_all", flush_scope::local);
  return ORIEL_HOST(Win_flush_local_all)(win);
}
ORIEL_ALSO_PMPI(Win_flush_local_all);

// Allowed at any time: what it orders is this process's own.
ORIEL_EXPORT int MPI_Win_sync(MPI_Win win) {
  if (auto* const w = find_window(win)) return oriel::mpi::sync(*w, ORIEL_CALLER);
  return ORIEL_HOST(Win_sync)(win);
}
ORIEL_ALSO_PMPI(Win_sync);
