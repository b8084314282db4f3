// Teams and their collectives, as oriel/team.hpp. Collectives are called by every rank of the team
// in the same order, by one thread at a time, and return ORIEL_ERR_PEER_FAILED, never hanging, when
// a rank of the team has died or left the job.
#pragma once

#include <stddef.h>

#include "oriel/c/info.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oriel_team oriel_team;

int oriel_team_free(oriel_team* team);

// This rank's number in the team, from 0, and how many ranks there are.
int oriel_team_rank(const oriel_team* team, int* rank);
int oriel_team_size(const oriel_team* team, int* size);
// The number that `rank` of this team has in the session's world; whether it runs on this rank's
// node (1 or 0). ORIEL_ERR_RANK when there is no such rank.
int oriel_team_world_rank(const oriel_team* team, int rank, int* world_rank);
int oriel_team_on_node(const oriel_team* team, int rank, int* on_node);

// Returns once every rank has entered. Orders memory as a full fence on both sides.
int oriel_team_barrier(const oriel_team* team);
// `bytes` bytes of `root` become everyone's. ORIEL_ERR_RANK for a root out of range.
int oriel_team_broadcast(const oriel_team* team, void* data, size_t bytes, int root);
// `bytes` bytes of each rank; `all` holds size × bytes, in rank order.
int oriel_team_allgather(const oriel_team* team, const void* mine, size_t bytes, void* all);
// `op` over one element of `primitive` of each rank, in rank order, so that every rank gets the
// same bits. `mine` may be `result`. ORIEL_ERR_OP where `op` is not defined on `primitive`.
int oriel_team_allreduce(const oriel_team* team, int op, int primitive, const void* mine,
                         void* result);

// Collective. The ranks that give the same `color`, ordered by (key, rank), form a team; a null
// handle for those with a negative color.
int oriel_team_split(const oriel_team* team, int color, int key, oriel_team** part);
// Collective; every rank gives the same `n` ranks; a null handle for those not among them.
// ORIEL_ERR_RANK for a rank that is out of range or listed twice.
int oriel_team_subset(const oriel_team* team, size_t n, const int* ranks, oriel_team** part);
// The team of those that are left when ranks have died. Collective over the ranks that are alive.
// ORIEL_ERR_PEER_FAILED when the others take this rank for dead, or most of the job is out of reach
// without being known to have died; ORIEL_ERR_TIMED_OUT when a rank that is alive does not take
// part within ORIEL_TIMEOUT: call it again to learn whether the others have agreed;
// ORIEL_ERR_NO_MEM.
int oriel_team_shrink(const oriel_team* team, oriel_team** left);

// Those in force, a handle to be freed.
int oriel_team_hints(const oriel_team* team, oriel_info** hints);
// Sets or, with null, removes mpi_assert_memory_alloc_kinds. Ignored as a whole when it names a
// kind that is not provided.
int oriel_team_assert_memory_alloc_kinds(oriel_team* team, const char* kinds);

#ifdef __cplusplus
}
#endif
