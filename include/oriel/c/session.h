// Sessions and memory, as oriel/session.hpp and oriel/memory_kinds.hpp.
#pragma once

#include <stddef.h>

#include "oriel/c/info.h"
#include "oriel/c/team.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oriel_session oriel_session;

// How an embedding program whose ranks can communicate already lends that to a session
// (oriel::bootstrap_callbacks). Gathers `bytes` bytes of `mine` of every rank into `all` of each
// rank, in rank order. Collective over the job. oriel_session_open calls it, with
// `bootstrap_context`, and returns its code where that is not ORIEL_SUCCESS.
typedef int (*oriel_allgather_function)(void* context, const void* mine, size_t bytes, void* all);

typedef struct oriel_session_options {
  size_t struct_size;       // sizeof(oriel_session_options)
  int threads;              // ORIEL_THREAD_*
  const oriel_info* hints;  // "mpi_memory_alloc_kinds": the kinds that the program will use
  // Null: the launcher describes the job. Else these do: this rank is bootstrap_rank of
  // bootstrap_size.
  oriel_allgather_function bootstrap_allgather;
  void* bootstrap_context;
  int bootstrap_rank;
  int bootstrap_size;
} oriel_session_options;

// Joins the job; a process that no launcher started is a job of one. Collective over the job.
// Requires: one session at a time per process. Blocks until every rank has joined.
// Returns ORIEL_ERR_TIMED_OUT when a rank does not appear within ORIEL_TIMEOUT seconds,
// ORIEL_ERR_PEER_FAILED when one leaves meanwhile, ORIEL_ERR_ARG for a malformed description of the
// job or while a session is open, ORIEL_ERR_INFO for a malformed hint, ORIEL_ERR_NO_MEM,
// ORIEL_ERR_SYSTEM.
int oriel_session_open(const oriel_session_options* options, oriel_session** session);
// The process leaves the job when the last window and team is freed, too.
int oriel_session_close(oriel_session* session);

// Teams of every rank of the job, and of those on this rank's node: handles to be freed.
int oriel_session_world(const oriel_session* session, oriel_team** team);
int oriel_session_node(const oriel_session* session, oriel_team** team);
// ORIEL_THREAD_SINGLE, _SERIALIZED or _MULTIPLE.
int oriel_session_threads(const oriel_session* session, int* threads);
// The hints in force, a handle to be freed: "mpi_memory_alloc_kinds" holds the kinds provided.
int oriel_session_hints(const oriel_session* session, oriel_info** hints);

// `memory`: `bytes` zeroed bytes of a kind by MPI's name ("cuda:device", "system", …), or, where
// `kind` is null, memory that every rank of this node can map, MPI_Alloc_mem's equivalent; null for
// 0 bytes. Local. `hints` may be null, or hold mpi_minimum_memory_alignment (bytes),
// mpi_assert_memory_alloc_kinds, oriel_device. Returns ORIEL_ERR_UNSUPPORTED_KIND where the session
// does not provide the kind, ORIEL_ERR_ARG for a name that leaves open which memory is meant,
// ORIEL_ERR_INFO, ORIEL_ERR_NO_MEM.
int oriel_session_alloc_mem(oriel_session* session, size_t bytes, const char* kind,
                            const oriel_info* hints, void** memory);
// Requires: operations on the memory are complete. Returns ORIEL_ERR_BASE where no allocation of
// oriel_session_alloc_mem begins at `memory`.
int oriel_session_free_mem(oriel_session* session, void* memory);
// Copies between memory of any kinds that the session provides. Requires: the two do not overlap.
// Complete on return. Returns ORIEL_ERR_NO_MEM or ORIEL_ERR_SYSTEM when the vendor's runtime fails.
int oriel_session_copy(oriel_session* session, void* to, const void* from, size_t bytes);
// The kind of the memory at `memory`: "mpi:alloc_mem", "mpi:win_allocate", "cuda:managed", …, else
// "system".
int oriel_session_kind_of(const oriel_session* session, const void* memory, char* text,
                          size_t capacity, size_t* length);

// Of a list of kinds, "system,mpi:alloc_mem": its normal form, sorted and without spaces; and 1 or
// 0, whether all memory of `element`, one kind, is of a kind in the list. Return ORIEL_ERR_INFO for
// a malformed list or element.
int oriel_memory_kinds_normal(const char* list, char* text, size_t capacity, size_t* length);
int oriel_memory_kinds_contain(const char* list, const char* element, int* contained);

#ifdef __cplusplus
}
#endif
