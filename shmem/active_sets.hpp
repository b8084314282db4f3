// Collectives of active sets (OpenSHMEM 1.4), whose PEs have no team: they meet by atomic
// operations on pSync, and get what they are to have from each other's memory between two meetings.
//
// A word of pSync for each round counts the signals of the one PE that sends them there in that
// round. Its owner takes one away a meeting, so that a PE may be a meeting ahead.
#pragma once

#include <cstddef>
#include <vector>

#include "shmem/reductions.hpp"
#include "shmem/strided.hpp"

namespace oriel::shmem {

class active_set {
 public:
  // Ends the job where there is no such set, or this PE is not in it.
  active_set(const char* call, int start, int log_stride, int size, long* sync) noexcept;

  const char* const call;
  std::vector<int> in_world;  // the PE of all that each is
  int me = -1;                // this PE's place

  [[nodiscard]] int pes() const noexcept { return static_cast<int>(in_world.size()); }
  // Blocks until every PE of the set has called it. O(log PEs) signals.
  void meet() const noexcept;
  // What each PE gives, in their order. Takes part in two meetings.
  [[nodiscard]] std::vector<long> gather(long mine) const;

 private:
  static constexpr int most_rounds = 32;
  [[nodiscard]] long* given() const noexcept { return sync_ + most_rounds; }

  long* sync_;
};

// As the functions of teams in collectives.hpp; a broadcast leaves the root's `dest` as it is.
void broadcast(const active_set&, void* dest, const void* source, std::size_t bytes,
               int root) noexcept;
void fcollect(const active_set&, void* dest, const void* source, std::size_t bytes) noexcept;
void collect(const active_set&, void* dest, const void* source, std::size_t bytes) noexcept;
void alltoall(const active_set&, void* dest, const void* source, std::size_t bytes) noexcept;
void alltoalls(const active_set&, strided<void*> dest, strided<const void*> source,
               std::size_t bytes, std::size_t n) noexcept;
void reduce(const active_set&, void* dest, const void* source, std::size_t n,
            const reduced_elements&) noexcept;

}  // namespace oriel::shmem
