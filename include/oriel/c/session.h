// Sessions and memory, as oriel/session.hpp and oriel/memory_kinds.hpp.
#pragma once

#include <stddef.h>

#include "oriel/c/info.h"
#include "oriel/c/team.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oriel_session oriel_session;

// How an embedding program lends its own way between the ranks (oriel::bootstrap_callbacks).
// Collective over the job: every rank's `bytes` bytes of `mine` come, in rank order, to `all` of
// each rank. Returns a code; any but ORIEL_SUCCESS becomes the failure of what needed it. Called
// with `bootstrap_context` by the threads that open sessions and call collectives of teams that
// span nodes.
typedef int (*oriel_allgather_function)(void* context, const void* mine, size_t bytes, void* all);

typedef struct oriel_session_options {
  size_t struct_size;       // sizeof(oriel_session_options)
  int threads;              // ORIEL_THREAD_*
  const oriel_info* hints;  // "mpi_memory_alloc_kinds": the kinds that the program will use
  // Null: the launcher describes the job. Else this does, with this rank's number of how many.
  oriel_allgather_function bootstrap_allgather;
  void* bootstrap_context;
  int bootstrap_rank;
  int bootstrap_size;
} oriel_session_options;

// Joins the job. Collective over it; one session at a time per process; a process that no launcher
// started is a job of one. ORIEL_ERR_TIMED_OUT when a rank does not appear within ORIEL_TIMEOUT
// seconds, ORIEL_ERR_PEER_FAILED when one leaves meanwhile, ORIEL_ERR_ARG when the job is described
// wrongly, ORIEL_ERR_INFO for malformed hints, ORIEL_ERR_SYSTEM.
int oriel_session_open(const oriel_session_options* options, oriel_session** session);
// The job is left when the last window and team is free too.
int oriel_session_close(oriel_session* session);

// Teams of every rank of the job, and of those on this rank's node: handles to be freed.
int oriel_session_world(const oriel_session* session, oriel_team** team);
int oriel_session_node(const oriel_session* session, oriel_team** team);
// ORIEL_THREAD_SINGLE, _SERIALIZED or _MULTIPLE.
int oriel_session_threads(const oriel_session* session, int* threads);
// Those in force, a handle to be freed: "mpi_memory_alloc_kinds" holds the kinds provided.
int oriel_session_hints(const oriel_session* session, oriel_info** hints);

// Zeroed memory of a kind by MPI's name: "cuda:device", "system", …; null: memory that every rank
// of this node can map, MPI_Alloc_mem's equivalent. Local. `hints` may be null, or hold
// mpi_minimum_memory_alignment (bytes), mpi_assert_memory_alloc_kinds, oriel_device. Null memory
// for 0 bytes. ORIEL_ERR_UNSUPPORTED_KIND, ORIEL_ERR_ARG, ORIEL_ERR_INFO, ORIEL_ERR_NO_MEM.
int oriel_session_alloc_mem(oriel_session* session, size_t bytes, const char* kind,
                            const oriel_info* hints, void** memory);
// Operations on it are complete. ORIEL_ERR_BASE when no memory of alloc_mem begins there.
int oriel_session_free_mem(oriel_session* session, void* memory);
// Between any memory of kinds that the session provides, which do not overlap; complete on return.
// ORIEL_ERR_NO_MEM or ORIEL_ERR_SYSTEM when the vendor's runtime fails.
int oriel_session_copy(oriel_session* session, void* to, const void* from, size_t bytes);
// "mpi:alloc_mem", "mpi:win_allocate", "cuda:managed", …, or else "system".
int oriel_session_kind_of(const oriel_session* session, const void* memory, char* text,
                          size_t capacity, size_t* length);

// Lists of kinds, "system,mpi:alloc_mem": the normal form, sorted and without spaces, and whether
// all memory of `element`, one kind, is of a kind in the list (1 or 0). ORIEL_ERR_INFO when the
// list is malformed.
int oriel_memory_kinds_normal(const char* list, char* text, size_t capacity, size_t* length);
int oriel_memory_kinds_contain(const char* list, const char* element, int* contained);

#ifdef __cplusplus
}
#endif
