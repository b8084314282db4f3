// A session: this process's membership of a job.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "oriel/errc.hpp"
#include "oriel/info.hpp"
#include "oriel/team.hpp"

namespace oriel {

namespace detail {
class session_state;
}

enum class thread_level {
  single,      // one thread
  serialized,  // several threads, one at a time inside oriel
  multiple,    // any thread at any time
};

// How an embedding program, which has its own way between the ranks (MPI, say), lends it to a
// session. Bad values make the session throw errc::arg.
struct bootstrap_callbacks {
  int rank = 0;
  int size = 1;
  // Collective over the job, called by the thread that opens the session, and later by those that
  // call a collective of a team that spans nodes: every rank's `bytes` bytes of `mine` come, in
  // rank order, to `all` of each rank (MPI_Allgather's meaning). How long it waits is the program's
  // business; a failure or an exception becomes the session's failure. Copied into the session.
  std::function<status(const void* mine, std::size_t bytes, void* all)> allgather{};
};

struct session_options {
  thread_level threads = thread_level::multiple;
  // Hints. "mpi_memory_alloc_kinds" here beats the launcher's --memory-alloc-kinds.
  info hints{};
  // When given, these describe the job, whatever launched this process.
  std::optional<bootstrap_callbacks> bootstrap{};
};

// Opening is collective over the job that the launcher or `session_options::bootstrap` described
// (see docs/LAUNCHING.md); a process that no launcher started is a job of one. One session at a
// time per process. Windows and teams keep what they need of it alive; the job is left when the
// last of them is gone.
class session {
 public:
  // Joins the job. Throws timed_out when a rank does not appear within ORIEL_TIMEOUT seconds
  // (default 60), peer_failed when one leaves meanwhile, arg when the job is described wrongly,
  // info when a hint is malformed, system when the machine refuses something.
  explicit session(const session_options& options = {});
  // As above. oriel takes nothing from the command line today; the arguments are kept for
  // launchers that pass their rendezvous there.
  session(int argc, char** argv, const session_options& options = {});

  session(session&&) noexcept = default;
  session& operator=(session&&) noexcept = default;

  // Every rank of the job.
  [[nodiscard]] team world() const;
  // The ranks of the job that run on this rank's node, in world order.
  [[nodiscard]] team node() const;
  [[nodiscard]] thread_level threads() const noexcept;
  // Hints in force: "mpi_memory_alloc_kinds" holds the kinds provided.
  [[nodiscard]] info hints() const;

  // Memory that every rank on this node can map, so that a window created on it is reached by load
  // and store: MPI_Alloc_mem's equivalent. Local, not collective; zeroed. `hints` may hold
  // mpi_minimum_memory_alignment (bytes, a power of two; else errc::info) and
  // mpi_assert_memory_alloc_kinds. Throws no_mem. Zero bytes give an empty span.
  [[nodiscard]] std::span<std::byte> alloc_mem(std::size_t bytes, const info& hints = {});
  // Returns errc::base when `memory` does not begin where an alloc_mem that is not yet freed began.
  status free_mem(std::span<std::byte> memory) noexcept;

  // For the layers above; not part of the interface.
  [[nodiscard]] detail::session_state* state() const noexcept { return state_.get(); }

 private:
  std::shared_ptr<detail::session_state> state_;
  team world_;
  team node_;
};

}  // namespace oriel
