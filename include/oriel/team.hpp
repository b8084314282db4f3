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

// What becomes of a job whose network has fallen apart, with ranks that live in every part. Of two
// parts the larger is that with more ranks, or of equal ones that with the lowest rank; ranks whose
// processes are known to have ended count for neither.
enum class partition : std::uint8_t {
  larger_part,  // it alone goes on
  every_part,   // each goes on by itself; when the parts are connected again, the smaller stops
};

// A handle; copies share one team. Collectives are called by every rank of the team in the same
// order, by one thread at a time. They return peer_failed, and never hang, when a rank of the team
// has died, has left the job or is cut off from it, and mismatched_collective, on all ranks, when
// the ranks have called different ones or one with different arguments; a rank whose arguments no
// rank may give learns that instead. Once a collective of a team has failed, so do all later ones
// on this rank, with the same code: the team is good for freeing what was made on it, and for
// shrink(). no_mem is no such failure.
class team {
 public:
  team() = default;

  [[nodiscard]] rank me() const noexcept;
  [[nodiscard]] int size() const noexcept;
  // The neighbours on a ring.
  [[nodiscard]] rank next() const noexcept { return rank{(me().value + 1) % size()}; }
  [[nodiscard]] rank previous() const noexcept { return rank{(me().value + size() - 1) % size()}; }
  // The number that rank `r` of this team has in the session's world.
  [[nodiscard]] rank world_rank(rank r) const noexcept;
  // Whether rank `r` runs on this rank's node.
  [[nodiscard]] bool on_node(rank r) const noexcept;

  // Returns once every rank has entered. Orders memory as a full fence on both sides.
  status barrier() const noexcept;

  // `value` of `root` becomes everyone's.
  template <class T>
  requires std::is_trivially_copyable_v<T> status broadcast(T& value, rank root)
  const noexcept { return broadcast_bytes(&value, sizeof(T), root); }
  template <class T>
  requires std::is_trivially_copyable_v<T> status broadcast(std::span<T> values, rank root)
  const noexcept { return broadcast_bytes(values.data(), values.size_bytes(), root); }

  // One value of each rank, in rank order. Throws `error` when a rank has failed.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> allgather(const T& mine) const {
    std::vector<T> all(static_cast<std::size_t>(size()));
    status(allgather_bytes(&mine, sizeof(T), all.data())).or_throw();
    return all;
  }

  // `op` over one value of each rank, applied in rank order, so that every rank gets the same bits.
  // Throws errc::op when `op` is not defined on T, and peer_failed when a rank has failed.
  template <class T>
  [[nodiscard]] T allreduce(const T& mine, atomic_op op) const {
    static_assert(primitive_of<T>() != primitive::opaque, "allreduce needs an arithmetic type");
    T result = mine;
    allreduce_element(&result, primitive_of<T>(), op);
    return result;
  }

  // Untyped forms: `bytes` from each rank; `all` holds size() × bytes in rank order.
  status broadcast_bytes(void* data, std::size_t bytes, rank root) const noexcept;
  status allgather_bytes(const void* mine, std::size_t bytes, void* all) const noexcept;

  // Collective over this team. Ranks that give the same `color` form a team, ordered by (key,
  // rank). A negative color gives an empty handle (valid() is false). Throws `error`.
  [[nodiscard]] team split(int color, int key = 0) const;
  // Collective over this team; every rank gives the same list. Ranks not in it get an empty handle.
  // Throws errc::rank for a rank that is out of range or listed twice.
  [[nodiscard]] team subset(std::span<const rank> members) const;

  // The team of those that are left, in order, when ranks of this one have died, or have got an
  // error from the split or subset that made it. Collective over the ranks of this team that are
  // alive and no others: each calls it as often as the others. They
  // agree who they are, whoever dies meanwhile (a rank that dies late may still be in the new team;
  // shrink that again), and every one gets the same team or the same error. It waits for ranks that
  // are alive, as long as other collectives do. This team stays as it is: good for freeing what was
  // made on it. (ULFM: MPI_Comm_shrink.)
  // Throws no_mem; timed_out when a rank that is alive does not take part within ORIEL_TIMEOUT: the
  // others may still agree with this rank among them, and calling shrink again is how to learn so.
  // Throws peer_failed when the others take this rank for dead, or when `p` is larger_part and most
  // of the job is out of reach without being known to have died: it may go on without this part.
  [[nodiscard]] team shrink(partition p = partition::larger_part) const;

  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  // The text of the last collective that has failed on this rank: which, why, and for
  // mismatched_collective what this rank and others have called. Empty when none has.
  [[nodiscard]] std::string failure() const;
  // Hints in force: "mpi_memory_alloc_kinds" among them (MPI-4.1 §11.4.3).
  [[nodiscard]] info hints() const;
  // Sets or, with an empty optional, removes mpi_assert_memory_alloc_kinds for this handle's team.
  // Collective in intent, local in effect. Ignored as a whole when it names a kind not provided.
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
