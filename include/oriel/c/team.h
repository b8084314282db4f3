// Teams and their collectives, as oriel/team.hpp.
//
// Collectives. Require: every rank of the team calls them in the same order, one thread at a time.
// Return ORIEL_ERR_PEER_FAILED when a rank of the team has died, has left or is cut off;
// ORIEL_ERR_MISMATCHED_COLLECTIVE, on every rank, where the ranks called different ones or one with
// different arguments; ORIEL_ERR_TIMED_OUT when a rank that is alive did not call it within
// ORIEL_TIMEOUT, where that is set; ORIEL_ERR_NO_MEM.
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
// The number of `rank` in the session's world; 1 or 0, whether it runs on this rank's node. Return
// ORIEL_ERR_RANK for a rank that the team does not have.
int oriel_team_world_rank(const oriel_team* team, int rank, int* world_rank);
int oriel_team_on_node(const oriel_team* team, int rank, int* on_node);

// Collective. Blocks until every rank has called it. A full memory fence on both sides.
int oriel_team_barrier(const oriel_team* team);
// Collective. Copies `bytes` bytes of `root` to every rank. Returns ORIEL_ERR_RANK where the team
// has no rank `root`.
int oriel_team_broadcast(const oriel_team* team, void* data, size_t bytes, int root);
// Collective. `bytes` bytes of each rank; `all` holds size × bytes, in rank order.
int oriel_team_allgather(const oriel_team* team, const void* mine, size_t bytes, void* all);
// Collective. `op` over one element of `primitive` of each rank, in rank order, so that every rank
// gets the same bits. `mine` may be `result`. Returns ORIEL_ERR_OP where `op` is not defined on
// `primitive`, ORIEL_ERR_TYPE for no element type.
int oriel_team_allreduce(const oriel_team* team, int op, int primitive, const void* mine,
                         void* result);

// Collective. `part`: the team of the ranks that give the same `color`, ordered by (key, rank);
// null for a negative color.
int oriel_team_split(const oriel_team* team, int color, int key, oriel_team** part);
// Collective. `part`: the team of `n` ranks, in that order; null on other ranks. Requires: every
// rank gives the same list. Returns ORIEL_ERR_RANK for a rank that the team does not have or that
// is listed twice.
int oriel_team_subset(const oriel_team* team, size_t n, const int* ranks, oriel_team** part);
// `left`: the team of the survivors after ranks have died. Collective over the ranks that are
// alive. Blocks until they have agreed who they are. Returns ORIEL_ERR_PEER_FAILED when the others
// have given this rank up, or most of the job is out of reach and not known to have died;
// ORIEL_ERR_TIMED_OUT when a rank that is alive did not take part within ORIEL_TIMEOUT: a second
// call returns what the others have agreed; ORIEL_ERR_NO_MEM.
int oriel_team_shrink(const oriel_team* team, oriel_team** left);

// The hints in force, a handle to be freed.
int oriel_team_hints(const oriel_team* team, oriel_info** hints);
// Sets mpi_assert_memory_alloc_kinds, or with null removes it. Local. Requires: all ranks of the
// team call it alike. Does nothing where `kinds` names a kind that is not provided.
int oriel_team_assert_memory_alloc_kinds(oriel_team* team, const char* kinds);

#ifdef __cplusplus
}
#endif
