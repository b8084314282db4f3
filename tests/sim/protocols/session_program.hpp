// What the programs of simulated sessions are made of: acts, and what is the same for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oriel/errc.hpp"
#include "oriel/team.hpp"
#include "oriel/window.hpp"
#include "tests/sim/fabric/traits.hpp"
#include "tests/sim/protocol.hpp"

namespace oriel::sim {

// What happens in a session.
struct session_act {
  enum : int {
    put,
    put_row,
    add,
    replace,
    fetch,
    read_back,
    flush,
    notify,
    guard,  // adds by a get and a put, under an exclusive lock
    cut_off,
    all_meet,
    split,  // teams, a window on each
    map,    // phases of a hash map
    relay,  // a put, of which a third rank is told
    kinds,
    cut_rail = kinds,  // where there are several
    break_connection,  // likewise: of the rail that n says
    crew,              // where an epoch is all threads'
    answer,            // the others ask, and the rank answers by itself
    speak              // all with all; the rank dies meanwhile, within n steps if that is not 0
  };
};

using session_words = window<std::uint64_t>;

// What a program's variant is made of, by digits.
class session_kind {
 public:
  // How its window synchronizes: each act has a lock of its target where locks do, and an exposure
  // of it where exposures do.
  enum class epochs : std::uint8_t { fences, locks, lock_all, exposures };
  enum class memory : std::uint8_t { allocated, created, attached };

  explicit session_kind(const program& p) noexcept : rest_(p.variant) {
    synchronizes = static_cast<epochs>(digit(4));
    orders_notices = digit(2) == 0;
    orders_replaces = digit(2) == 0;
    constexpr std::array places{memory::allocated, memory::allocated, memory::created,
                                memory::attached};
    where = places[static_cast<std::size_t>(digit(4))];
    of_node = digit(2) == 0;
    aggregates = digit(3) == 0;
    acknowledges = digit(5) == 0;
    has_lanes = digit(7) != 0;
    processors = digit(11) == 0 ? 1 : 64;
    // What is ordered is performed by its target alone, and not by whichever rank of its node.
    if (aggregates && digit(3) != 0) orders_notices = orders_replaces = false;
    provider = drawn_traits(static_cast<std::uint64_t>(rest_));
  }

  epochs synchronizes;
  memory where;
  bool of_node;  // what it brings is the node's memory
  bool orders_notices;
  bool orders_replaces;  // of one origin and word
  bool aggregates;
  bool acknowledges;  // flushes ask the targets
  bool has_lanes;
  int processors;
  provider_traits provider;

  [[nodiscard]] bool fences() const noexcept { return synchronizes == epochs::fences; }
  [[nodiscard]] bool locks_each() const noexcept { return synchronizes == epochs::locks; }
  [[nodiscard]] bool exposes() const noexcept { return synchronizes == epochs::exposures; }
  // Whether threads may share an epoch of all targets.
  [[nodiscard]] bool has_crews() const noexcept {
    return fences() || synchronizes == epochs::lock_all;
  }
  // Whether flushes are calls of it.
  [[nodiscard]] bool flushes() const noexcept { return !fences() && !exposes(); }

 private:
  int digit(int base) noexcept {
    const int d = rest_ % base;
    rest_ /= base;
    return d;
  }
  int rest_;
};

// Who of a program's ranks has access to the target's exposure that an act is in: its rank, or all
// others.
inline bool is_origin(const act& a, int r) noexcept {
  return r != a.other && (r == a.rank || a.n % 4 == 0);
}

// Who is told of a put that is neither its origin's nor its target's; -1 where there is nobody.
inline int third_of(const act& a, int ranks) noexcept {
  int third = a.n % ranks;
  for (int i = 0; i < ranks; ++i, third = (third + 1) % ranks)
    if (third != a.rank && third != a.other) return third;
  return -1;
}

// Whether a call has succeeded. peer_failed is right where a rank has died; and rma_sync, where one
// that has seen this has freed its part of the window.
inline bool well(const program& p, status s, const char* call) {
  if (s.ok()) return true;
  must((s == errc::peer_failed || s == errc::rma_sync) && any_dead(p),
       std::string(call) + " of rank " + std::to_string(scheduler::active()->process()) +
           " returned " + std::string(name(s.code())));
  return false;
}

// What `work` returns; false where it throws, as it may where a rank has died.
template <class Work>
bool survives(const program& p, Work work) {
  try {
    return work();
  } catch (const error& e) {
    must(e.code() == errc::peer_failed && any_dead(p),
         "rank " + std::to_string(scheduler::active()->process()) + " has thrown: " + e.what());
    return false;
  }
}

// By the numbers that they have in the session's world.
inline std::vector<int> ranks_of(const team& t) {
  std::vector<int> found;
  for (int i = 0; i < t.size(); ++i) found.push_back(t.world_rank(rank{i}).value);
  return found;
}

}  // namespace oriel::sim
