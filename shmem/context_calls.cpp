// The calls of oriel_shmem/teams.h on contexts.
#include <new>

#include "shmem/context.hpp"
#include "shmem/teams.hpp"

using oriel::shmem::process;
using oriel::shmem::team_context;
using oriel::shmem::team_of;

extern "C" {

int pshmem_ctx_create(long options, shmem_ctx_t* ctx) {
  return pshmem_team_create_ctx(SHMEM_TEAM_WORLD, options, ctx);
}
ORIEL_SHMEM_WEAK(ctx_create)

int pshmem_team_create_ctx(shmem_team_t team, long, shmem_ctx_t* ctx) {
  *ctx = SHMEM_CTX_INVALID;
  if (team == SHMEM_TEAM_INVALID) return 1;
  constexpr const char* call = "shmem_team_create_ctx";
  try {
    *ctx = (new team_context(process::here(call), team_of(call, team)))->handle();
    return 0;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}
ORIEL_SHMEM_WEAK(team_create_ctx)

void pshmem_ctx_destroy(shmem_ctx_t ctx) {
  constexpr const char* call = "shmem_ctx_destroy";
  if (ctx == SHMEM_CTX_INVALID) return;
  if (ctx == SHMEM_CTX_DEFAULT)
    oriel::shmem::fail(std::string(call) +
                       " has SHMEM_CTX_DEFAULT; it takes a context that the program has made");
  process::here(call).quiet();
  delete static_cast<team_context*>(ctx->more);
}
ORIEL_SHMEM_WEAK(ctx_destroy)

int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) {
  *team = SHMEM_TEAM_INVALID;
  if (ctx == SHMEM_CTX_INVALID) return 1;
  const auto* const made = static_cast<team_context*>(ctx->more);
  *team = made == nullptr ? SHMEM_TEAM_WORLD : made->team();
  return 0;
}
ORIEL_SHMEM_WEAK(ctx_get_team)

}  // extern "C"
