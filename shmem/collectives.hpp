// Collectives of teams that move data. What fits into a slot of the team's own collectives takes
// one of these; of more, every PE gets what it is to have from the others' memory, between two
// barriers.
#pragma once

#include <cstddef>

#include "shmem/strided.hpp"
#include "shmem/teams.hpp"

namespace oriel::shmem {

// Up to so many bytes of a PE a collective of oriel's moves in one step.
inline constexpr std::size_t one_step_bytes = 1024;

// `bytes`: of one PE's part. End the job where they cannot be carried out.
void broadcast(const char* call, shmem_team_t, void* dest, const void* source, std::size_t bytes,
               int root) noexcept;
void fcollect(const char* call, shmem_team_t, void* dest, const void* source,
              std::size_t bytes) noexcept;
// Parts may have different sizes.
void collect(const char* call, shmem_team_t, void* dest, const void* source,
             std::size_t bytes) noexcept;
// Of `bytes` bytes for each PE.
void alltoall(const char* call, shmem_team_t, void* dest, const void* source,
              std::size_t bytes) noexcept;
// Of `n` elements of `bytes` bytes for each PE.
void alltoalls(const char* call, shmem_team_t, strided<void*> dest, strided<const void*> source,
               std::size_t bytes, std::size_t n) noexcept;

}  // namespace oriel::shmem
