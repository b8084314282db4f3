// Which collective of a team a rank has called, and with which arguments: 16 plain bytes that
// travel with what the ranks exchange anyway. Where they differ, the collective fails for all ranks
// alike.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "oriel/atomic_op.hpp"
#include "oriel/primitive.hpp"

namespace oriel::sessions {

enum class collective : std::uint8_t {
  none,  // a further step of one that the ranks have agreed on
  barrier,
  broadcast,
  allgather,
  allreduce,
  split,
  subset,
  allocate,  // of a window, as the two below
  create,
  free,
  shrink,  // only shown to those who look
};

struct collective_call {
  // Notes are not compared.
  // This rank may have lost another before, of a team or of a window (job::note_bereaved).
  static constexpr std::uint8_t bereaved = 1;

  collective kind = collective::none;
  atomic_op op = {};    // of allreduce
  primitive type = {};  // likewise
  std::uint8_t notes = 0;
  std::uint32_t subject = 0;  // the root; or a number of what the call is about
  std::uint64_t bytes = 0;    // that each rank gives, or the root

  [[nodiscard]] constexpr collective_call of(std::size_t exchanged) const noexcept {
    collective_call c = *this;
    c.bytes = exchanged;
    return c;
  }
  // Of all but the notes; calls that differ have different ones, as good as always.
  [[nodiscard]] constexpr std::uint64_t signature() const noexcept {
    const auto word = std::bit_cast<std::array<std::uint64_t, 2>>(without_notes());
    return (word[0] ^ word[0] >> 29) * 0x9e3779b97f4a7c15u +
           (word[1] ^ word[1] >> 31) * 0xc2b2ae3d27d4eb4fu;
  }
  [[nodiscard]] friend constexpr bool alike(const collective_call& a,
                                            const collective_call& b) noexcept {
    using words = std::array<std::uint64_t, 2>;
    return std::bit_cast<words>(a.without_notes()) == std::bit_cast<words>(b.without_notes());
  }

 private:
  [[nodiscard]] constexpr collective_call without_notes() const noexcept {
    collective_call c = *this;
    c.notes = 0;
    return c;
  }
};
static_assert(sizeof(collective_call) == 16, "no byte is left undefined");

// "team::broadcast of 8 bytes from rank 0"
std::string describe(const collective_call&);

// Two ranks that have called different things: the lowest of all, and the lowest that differs from
// it. The same whatever order ranks are taken in.
struct different_calls {
  struct of_rank {
    std::int32_t rank = -1;
    std::int32_t unused = 0;  // no byte is left undefined
    collective_call call;
  };
  of_rank first;
  of_rank other;               // none while all are alike
  std::uint64_t bereaved = 0;  // some rank may have lost another before

  [[nodiscard]] bool found() const noexcept { return other.rank >= 0; }
  void add(std::int32_t rank, const collective_call&) noexcept;
  void add(const different_calls&) noexcept;
  // The same, where rank i is names[i].
  [[nodiscard]] different_calls named(std::span<const int> names) const noexcept;
};

// "the ranks called different collectives: rank 0 window::allocate, rank 2 team::barrier; …"
std::string describe(const different_calls&);

}  // namespace oriel::sessions
