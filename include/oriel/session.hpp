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
  // Collective over the job, called by the thread that opens the session and while it does: every
  // rank's `bytes` bytes of `mine` come, in rank order, to `all` of each rank (MPI_Allgather's
  // meaning). How long it waits is the program's business; a failure or an exception becomes the
  // session's failure. Copied into the session.
  std::function<status(const void* mine, std::size_t bytes, void* all)> allgather{};
};

struct session_options {
  thread_level threads = thread_level::multiple;
  // Hints. "mpi_memory_alloc_kinds" here beats the launcher's --memory-alloc-kinds: the kinds of
  // memory that the program will use, "mpi,system" when neither is given (docs/GPU.md). A device
  // kind ("cuda", "rocm", "level_zero") has its vendor's runtime loaded; nothing else does.
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
  // The team of `members`, different ranks of world(), in that order: made by those alone, as
  // team::split and team::subset are not. `allgather` connects them, as bootstrap_callbacks has it
  // and in their order; it is called once, by this call. For embedding programs, whose groups
  // form without the rest of the job. Throws rank, no_mem, peer_failed and what `allgather` says.
  using allgather_function = std::function<status(const void* mine, std::size_t bytes, void* all)>;
  [[nodiscard]] team team_of(std::span<const rank> members,
                             const allgather_function& allgather) const;
  [[nodiscard]] thread_level threads() const noexcept;
  // Hints in force: "mpi_memory_alloc_kinds" holds the kinds provided, those requested that this
  // process can provide, as they were written (MPI-4.1 §11.4.3). Other ranks may provide others.
  [[nodiscard]] info hints() const;

  // Memory that every rank on this node can map, so that a window created on it is reached by load
  // and store: MPI_Alloc_mem's equivalent. Local, not collective; zeroed. `hints` may hold
  // mpi_minimum_memory_alignment (bytes, a power of two; else errc::info) and
  // mpi_assert_memory_alloc_kinds. Pages of more than 1 MiB are made when they are first touched.
  // Throws no_mem when the machine has less memory left. Zero bytes give an empty span.
  [[nodiscard]] std::span<std::byte> alloc_mem(std::size_t bytes, const info& hints = {});
  // The same of one kind, by MPI's name:
  //   mpi, mpi:alloc_mem                       as above
  //   system                                   the operating system's
  //   cuda:host, cuda:device, cuda:managed     and rocm likewise: the vendor's, as MPI's side
  //   level_zero:host, :device, :shared        document on memory allocation kinds has them
  // Zeroed. Memory of :device must not be touched by the host: copy() reaches it. `hints` may hold
  // mpi_minimum_memory_alignment too, and oriel_device, an ordinal, without which memory is on the
  // calling thread's current device, or where it has chosen none on one in turn by this rank's
  // place on its node. Throws unsupported_kind, with what is provided and why this is not, when the
  // session does not provide the kind; arg when the name does not say which memory; info; no_mem.
  [[nodiscard]] std::span<std::byte> alloc_mem(std::size_t bytes, std::string_view kind,
                                               const info& hints = {});
  // Memory of either alloc_mem, begun operations on which are complete. What a program does not
  // free is freed when the session ends. Returns errc::base when `memory` does not begin where an
  // alloc_mem that is not yet freed began.
  status free_mem(std::span<std::byte> memory) noexcept;

  // Copies `bytes` bytes between any memory of kinds that the session provides, whoever allocated
  // it; the pieces do not overlap. Complete on return, and visible to kernels that start
  // afterwards. Returns no_mem or system when the vendor's runtime fails.
  status copy(void* to, const void* from, std::size_t bytes) noexcept;
  // The kind of the memory at `memory`: "mpi:alloc_mem", "mpi:win_allocate" (a window's), a device
  // kind of a runtime that has been loaded, as "cuda:managed", or else "system".
  [[nodiscard]] std::string kind_of(const void* memory) const;

  // For the layers above; not part of the interface.
  [[nodiscard]] detail::session_state* state() const noexcept { return state_.get(); }

 private:
  std::shared_ptr<detail::session_state> state_;
  team world_;
  team node_;
};

}  // namespace oriel
