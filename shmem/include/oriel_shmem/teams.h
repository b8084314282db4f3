/* Teams, and contexts of theirs. */
#ifndef ORIEL_SHMEM_TEAMS_H
#define ORIEL_SHMEM_TEAMS_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oriel_shmem_team* shmem_team_t;
extern shmem_team_t oriel_shmem_team_world, oriel_shmem_team_shared;
#define SHMEM_TEAM_WORLD oriel_shmem_team_world
/* The PEs of this node. */
#define SHMEM_TEAM_SHARED oriel_shmem_team_shared
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)

typedef struct {
  int num_contexts;
} shmem_team_config_t;
#define SHMEM_TEAM_NUM_CONTEXTS (1l << 0)

int shmem_team_my_pe(shmem_team_t team);
int shmem_team_n_pes(shmem_team_t team);
int shmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t* config);
int shmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team);
int shmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                             const shmem_team_config_t* config, long config_mask,
                             shmem_team_t* new_team);
int shmem_team_split_2d(shmem_team_t parent_team, int xrange,
                        const shmem_team_config_t* xaxis_config, long xaxis_mask,
                        shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config,
                        long yaxis_mask, shmem_team_t* yaxis_team);
/* Collective, as making it was. */
void shmem_team_destroy(shmem_team_t team);
int shmem_team_sync(shmem_team_t team);

/* Promises of a program about a context, joined by |; every context keeps all of them. */
#define SHMEM_CTX_SERIALIZED (1l << 0)
#define SHMEM_CTX_PRIVATE (1l << 1)
#define SHMEM_CTX_NOSTORE (1l << 2)

/* Operations of one complete with those of all: a context has PE numbers of its own, and no order
 * or completion. As many as there is memory for, whatever the team was configured with. */
int shmem_ctx_create(long options, shmem_ctx_t* ctx);
int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx);
void shmem_ctx_destroy(shmem_ctx_t ctx);
int shmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team);

#ifdef __cplusplus
}
#endif
#endif
