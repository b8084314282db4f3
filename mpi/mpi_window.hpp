// One of MPI's windows: an oriel window on bytes, the host's handle that names it, and MPI's state
// beyond that: displacement units, flavor, and which epochs are open.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capi/handles.hpp"
#include "mpi/common_hints.hpp"
#include "mpi/serve_in_host.hpp"
#include "mpi/window_table.hpp"
#include "oriel/any_window.hpp"
#include "oriel/errc.hpp"
#include "win/statistics/counters.hpp"

namespace oriel::mpi {

// What operations need to know of one target, in one place.
struct target_entry {
  std::byte* mapped = nullptr;        // where this process may copy; null: through the window
  std::byte* atomics = nullptr;       // where this process's atomic instructions may go; likewise
  std::uint64_t bytes = 0;            // of its memory; the largest number for dynamic windows
  std::uint32_t unit = 1;             // of its displacements, in bytes
  std::uint16_t gate = 0;             // which of the window's
  std::atomic<std::uint8_t> open{0};  // it is locked, or named by the group of an open start
  bool others = false;                // it is another rank than this
};

// Where single elements are counted that MPI's calls move by themselves: at most one is not null.
struct counted_words {
  win::tallies* of_process = nullptr;  // by all threads
  const win::counters* by_thread = nullptr;
};

// What a rank announced when the window was made.
struct rank_memory {
  std::int64_t bytes = 0;
  std::int64_t unit = 1;
  errc wrong = errc::success;  // with its other arguments
  common_hints hints{};
};

class mpi_window {
 public:
  // The handle is the host's window on no memory, which lends this one its attributes, name, group
  // and error handler. `memory`: of each rank.
  mpi_window(any_window&& made, MPI_Win handle, int flavor, const std::vector<rank_memory>& memory);
  // Frees the handle, and then the window: the program's own attributes are deleted with the
  // handle, and their deletion functions may still query the window.
  ~mpi_window();
  mpi_window(const mpi_window&) = delete;
  mpi_window& operator=(const mpi_window&) = delete;

  oriel_window face;  // what the C face's functions take
  any_window& any = face.any;
  MPI_Win handle;
  detail::window_gates gates;  // that atomics go past
  counted_words counted;
  MPI_Group group = MPI_GROUP_NULL;  // of the window's ranks

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] bool is_rank(int r) const noexcept {
    return static_cast<unsigned>(r) < static_cast<unsigned>(ranks_);
  }
  [[nodiscard]] target_entry& target(int r) const noexcept { return targets_[r]; }
  [[nodiscard]] rank rank_of(const target_entry& t) const noexcept {
    return rank{static_cast<int>(&t - targets_.get())};
  }
  // Whether operations with the target are inside an access epoch.
  [[nodiscard]] bool accessible(const target_entry& t) const noexcept {
    return (all_open.load(std::memory_order_relaxed) | t.open.load(std::memory_order_relaxed)) != 0;
  }

  // Bytes of one element of the base type; the window counts its displacements in them. 1 of the
  // windows that MPI's own constructors make, whose base is the byte.
  std::uint64_t element = 1;
  // The base type where it is a primitive that the window counts by; opaque otherwise.
  primitive base_element = primitive::opaque;
  // Only dense datatypes at targets: user datatypes are not asserted, and the window, being on
  // bytes, cannot refuse them itself.
  bool only_dense = false;
  // The only number of bytes that an operation may move; 0 for any. Of windows that do not assert
  // multi_element.
  std::uint64_t only_bytes = 0;
  // Small operations to memory that is not mapped here gather, so the results of MPI_Fetch_and_op
  // and MPI_Compare_and_swap come with a flush, and not before these return.
  bool fetches_later = false;

  // --- Epochs, for the errors that MPI requires (MPI_ERR_RMA_SYNC)
  std::atomic<std::uint8_t> all_open{0};  // a fence or a lock_all has opened every target
  std::atomic<bool> fenced{false};
  std::atomic<bool> all_locked{false};
  std::atomic<int> locks{0};  // targets that are locked
  // The hints have ruled locks out; those that check nothing are served all the same.
  bool no_locks = false;
  bool one_thread = false;  // of this process is ever in MPI
  void count_lock(int change) noexcept {
    if (one_thread)
      locks.store(locks.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
    else
      locks.fetch_add(change, std::memory_order_relaxed);
  }
  std::vector<rank> origins;  // of the last post
  std::vector<rank> started;  // of the open start; exact while `starting`
  std::atomic<bool> starting{false};
  std::atomic<bool> posted{false};

  // Flushes and syncs so far, more or less: every so many, the host makes progress.
  std::atomic<std::uint32_t> polls{0};

  // --- What MPI answers about it
  int flavor;
  void* base = nullptr;
  std::ptrdiff_t shown = 0;  // from the window's memory to where the program sees it (ORIEL_CHECK)
  MPI_Aint size = 0;
  int unit = 1;
  int model = MPI_WIN_UNIFIED;
  bool apart = false;  // its ranks' parts need not be contiguous
  // What MPI_Win_get_info answers is made of, besides those hints that oriel itself has in force:
  info given;           // by this rank's program
  common_hints common;  // of all ranks
  info given_later;     // by MPI_Win_set_info; these are answered as they are
  std::mutex hints_mutex;
  // Attached memory by address, for detach.
  std::mutex attached_mutex;
  std::unordered_map<const void*, std::optional<segment_handle>> attached;

 private:
  int ranks_;
  std::unique_ptr<target_entry[]> targets_;
  service_in_host service_;  // until the last rank has left the window
};

// The window of the handle, or null for the host's own.
[[nodiscard]] inline mpi_window* find_window(MPI_Win win) noexcept {
  return windows.find(win);
}
// The same, or the window whose handle this thread is freeing, if it is this one: for calls that
// are allowed from within the deletion of attributes, when other threads no longer find the window.
[[nodiscard]] mpi_window* find_window_or_ending(MPI_Win) noexcept;

}  // namespace oriel::mpi
