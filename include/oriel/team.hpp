// A team: an ordered set of ranks, with the small collectives that windows are built from.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "oriel/info.hpp"
#include "oriel/rank.hpp"

namespace oriel {

namespace detail {
class team_state;
}

// Which parts of a job go on after a network partition, with living ranks in every part. The larger
// of two parts has more ranks, or, of equal ones, the lowest rank; ranks whose processes are known
// to have ended count for neither.
enum class partition : std::uint8_t {
  larger_part,  // the larger part alone
  every_part,   // each by itself; when the parts are connected again, the smaller one fails
};

// A handle; copies share one team. Every function of a handle that is not valid(), since it was
// never made, has been moved from or is of a rank outside of the team, returns or throws errc::arg;
// a query returns rank -1, size 0, no hints, or false.
//
// Collectives. Require: every rank of the team calls them in the same order, one thread at a time.
// Return, or throw:
//   peer_failed            a rank of the team has died, has left the job or is cut off from it
//   mismatched_collective  on every rank: the ranks called different ones, or one with different
//                          arguments; a rank whose arguments are not valid gets their code instead
//   timed_out              a rank that is alive did not call it within ORIEL_TIMEOUT, where that is
//                          set
//   no_mem
// After a failure other than no_mem all later collectives of the team fail on this rank with the
// same code; windows and teams made on it can still be freed, and shrink() called.
class team {
 public:
  team() = default;

  [[nodiscard]] rank me() const noexcept;
  [[nodiscard]] int size() const noexcept;
  // Return this rank's neighbours on a ring.
  [[nodiscard]] rank next() const noexcept {
    return valid() ? rank{(me().value + 1) % size()} : me();
  }
  [[nodiscard]] rank previous() const noexcept {
    return valid() ? rank{(me().value + size() - 1) % size()} : me();
  }
  // Returns the number of rank `r` in the session's world. Requires: the team has the rank.
  [[nodiscard]] rank world_rank(rank r) const noexcept;
  // Returns whether rank `r` runs on this rank's node. Requires: the team has the rank.
  [[nodiscard]] bool on_node(rank r) const noexcept;

  // Collective. Blocks until every rank has called it. A full memory fence on both sides.
  status barrier() const noexcept;

  // Collective. Copies the value, or the values, of `root` to every rank. Requires: spans of one
  // size. Returns rank where the team has no rank `root`.
  template <class T>
  requires std::is_trivially_copyable_v<T> status broadcast(T& value, rank root)
  const noexcept { return broadcast_bytes(&value, sizeof(T), root); }
  template <class T>
  requires std::is_trivially_copyable_v<T> status broadcast(std::span<T> values, rank root)
  const noexcept { return broadcast_bytes(values.data(), values.size_bytes(), root); }

  // Collective. Returns one value of each rank, in rank order. Blocks until every rank has called
  // it.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> allgather(const T& mine) const {
    std::vector<T> all(static_cast<std::size_t>(size()));
    status(allgather_bytes(&mine, sizeof(T), all.data())).or_throw();
    return all;
  }

  // Collective. Returns `op` over one value of each rank, applied in rank order, so that every rank
  // gets the same bits. Throws op where `op` is not defined on T.
  template <class T>
  [[nodiscard]] T allreduce(const T& mine, atomic_op op) const {
    static_assert(primitive_of<T>() != primitive::opaque, "allreduce needs an arithmetic type");
    T result = mine;
    allreduce_element(&result, primitive_of<T>(), op);
    return result;
  }

  // Untyped forms: `bytes` bytes of each rank; `all` holds size() × bytes, in rank order.
  status broadcast_bytes(void* data, std::size_t bytes, rank root) const noexcept;
  status allgather_bytes(const void* mine, std::size_t bytes, void* all) const noexcept;

  // Collective. Returns the team of the ranks that give the same `color`, ordered by (key, rank); a
  // handle that is not valid() for a negative color.
  [[nodiscard]] team split(int color, int key = 0) const;
  // Collective. Returns the team of `members`, in that order; a handle that is not valid() on other
  // ranks. Requires: every rank gives the same list. Throws rank for a rank that the team does not
  // have or that is listed twice.
  [[nodiscard]] team subset(std::span<const rank> members) const;

  // Returns the team of the survivors, in order, after ranks of this one have died, or have got an
  // error from the split or subset that made it (ULFM: MPI_Comm_shrink). Collective over the ranks
  // of this team that are alive: each calls it as often as the others. Blocks until they have
  // agreed who they are; every one gets the same team or the same error, whichever rank dies
  // meanwhile. A rank that dies late may be in the new team: shrink that again. This team stays as
  // it is.
  // Throws
  //   timed_out    a rank that is alive did not take part within ORIEL_TIMEOUT. The others may
  //                agree nevertheless, on a team with this rank: a second call returns it then
  //   peer_failed  the others have given this rank up; or `p` is larger_part, and most of the job
  //                is out of reach and not known to have died, so that it may go on without
  //                this part
  //   no_mem
  [[nodiscard]] team shrink(partition p = partition::larger_part) const;

  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  // Returns the text of the last collective that failed on this rank: which, why, and for
  // mismatched_collective what the ranks called. Empty when none has failed, and of arguments that
  // are not valid, whose text is or_throw()'s.
  [[nodiscard]] std::string failure() const;
  // Returns the hints in force: "mpi_memory_alloc_kinds" among them (MPI-4.1 §11.4.3).
  [[nodiscard]] info hints() const;
  // Sets mpi_assert_memory_alloc_kinds for this rank's team, or with an empty optional removes it.
  // Local. Requires: all ranks of the team call it alike. Does nothing where `kinds` names a kind
  // that is not provided.
  void assert_memory_alloc_kinds(std::optional<std::string_view> kinds);

  // For the layers above; not part of the interface.
  explicit team(std::shared_ptr<detail::team_state> state) : state_(std::move(state)) {}
  [[nodiscard]] detail::team_state* state() const noexcept { return state_.get(); }
  [[nodiscard]] const std::shared_ptr<detail::team_state>& shared_state() const noexcept {
    return state_;
  }

 private:
  void allreduce_element(void* inout, primitive type, atomic_op op) const;
  std::shared_ptr<detail::team_state> state_;
};

}  // namespace oriel
