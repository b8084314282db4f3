// A session: this process's membership of a job.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "oriel/errc.hpp"
#include "oriel/info.hpp"
#include "oriel/team.hpp"

namespace oriel {

namespace detail {
class session_state;
}

// single: one thread; serialized: several threads, one at a time inside oriel; multiple: any thread
// at any time.
enum class thread_level {
#define ORIEL_THREAD_LEVEL(number, name, c_name) name = (number),
#include "oriel/enumerations/thread_level.def"
};

// How an embedding program, whose ranks can communicate already (by MPI, say), lends that to a
// session. The session throws arg unless 0 <= rank < size and allgather is set.
struct bootstrap_callbacks {
  int rank = 0;
  int size = 1;
  // Gathers `bytes` bytes of `mine` of every rank into `all` of each rank, in rank order, as
  // MPI_Allgather. Collective over the job. The session calls it while it opens, in the thread that
  // opens it, and keeps a copy. It throws the code that this returns, and peer_failed where this
  // throws. ORIEL_TIMEOUT does not bound the call.
  std::function<status(const void* mine, std::size_t bytes, void* all)> allgather{};
};

struct session_options {
  thread_level threads = thread_level::multiple;
  // Hints. "mpi_memory_alloc_kinds": the kinds of memory that the program will use; it overrides
  // the launcher's --memory-alloc-kinds, and is "mpi,system" where neither is given (docs/GPU.md).
  // A device kind ("cuda", "rocm", "level_zero") loads its vendor's runtime; nothing else does.
  info hints{};
  // Where given, these describe the job, and the launcher's variables are ignored.
  std::optional<bootstrap_callbacks> bootstrap{};
};

// The launcher or `session_options::bootstrap` describes the job (docs/LAUNCHING.md); a process
// that no launcher started is a job of one. Requires: one session at a time per process. Windows
// and teams keep the session's state alive: the process leaves the job when the last of them is
// gone.
class session {
 public:
  // Joins the job. Collective over it. Blocks until every rank has joined.
  // Throws timed_out when a rank does not appear within ORIEL_TIMEOUT seconds (default 60);
  // peer_failed when one leaves meanwhile; arg for a malformed description of the job, and while a
  // session is open; info for a malformed hint; no_mem; system.
  explicit session(const session_options& options = {});
  // As above. The arguments are not read: they are for launchers that pass their rendezvous there.
  session(int argc, char** argv, const session_options& options = {});

  session(session&&) noexcept = default;
  session& operator=(session&&) noexcept = default;

  // Returns the team of every rank of the job.
  [[nodiscard]] team world() const;
  // Returns the team of the job's ranks on this rank's node, in world order.
  [[nodiscard]] team node() const;
  // Returns the team of `members`, ranks of world(), in that order. Collective over `members`
  // alone, as team::split and team::subset are not, for embedding programs whose groups form
  // without the rest of the job. Calls `allgather` once, which gathers as
  // bootstrap_callbacks::allgather does, among `members` in their order.
  // Throws rank where `members` names a rank twice or one that the job does not have, or lacks this
  // rank; what `allgather` returns or throws; no_mem.
  using allgather_function = std::function<status(const void* mine, std::size_t bytes, void* all)>;
  [[nodiscard]] team team_of(std::span<const rank> members,
                             const allgather_function& allgather) const;
  [[nodiscard]] thread_level threads() const noexcept;
  // Returns the hints in force. "mpi_memory_alloc_kinds" holds the kinds provided: those requested
  // that this process can provide, as they were written (MPI-4.1 §11.4.3). Ranks may differ.
  [[nodiscard]] info hints() const;

  // Returns `bytes` bytes of zeroed memory that every rank on this node can map, so that a window
  // created on it is reached by load and store: MPI_Alloc_mem's equivalent. Empty for 0 bytes.
  // Local. Allocations above 1 MiB get their pages when they are first touched. `hints` may hold
  // mpi_minimum_memory_alignment (bytes, a power of two) and mpi_assert_memory_alloc_kinds.
  // Throws info for an alignment that is not valid; no_mem.
  [[nodiscard]] std::span<std::byte> alloc_mem(std::size_t bytes, const info& hints = {});
  // Returns zeroed memory of one kind, by MPI's name:
  //   mpi, mpi:alloc_mem                       as above
  //   system                                   the operating system's
  //   cuda:host, cuda:device, cuda:managed     and rocm likewise: the vendor's, as MPI's side
  //   level_zero:host, :device, :shared        document on memory allocation kinds has them
  // `hints` may hold oriel_device, a device's ordinal or "in_turn", by this rank's number on its
  // node. Without it the memory is on the calling thread's current device; where it has none, in
  // turn. Requires: the host does not load or store memory of :device; copy() reaches it.
  // Throws unsupported_kind, with the kinds provided and the reason, where the session does not
  // provide this one; arg for a name that leaves open which memory is meant; info, no_mem.
  [[nodiscard]] std::span<std::byte> alloc_mem(std::size_t bytes, std::string_view kind,
                                               const info& hints = {});
  // Frees memory of either alloc_mem; the session's end frees the rest. Requires: operations on it
  // are complete. Returns base where `memory` does not begin at an allocation that is not yet
  // freed.
  status free_mem(std::span<std::byte> memory) noexcept;

  // Copies `bytes` bytes between memory of any kinds that the session provides, however it was
  // allocated. Requires: the two do not overlap. Complete on return, and visible to kernels that
  // start afterwards. Returns no_mem or system when the vendor's runtime fails.
  status copy(void* to, const void* from, std::size_t bytes) noexcept;
  // Returns the kind of the memory at `memory`: "mpi:alloc_mem"; "mpi:win_allocate" (a window's); a
  // device kind of a runtime that is loaded, as "cuda:managed"; else "system".
  [[nodiscard]] std::string kind_of(const void* memory) const;

  // For the layers above; not part of the interface.
  [[nodiscard]] detail::session_state* state() const noexcept { return state_.get(); }

 private:
  std::shared_ptr<detail::session_state> state_;
  team world_;
  team node_;
};

}  // namespace oriel
