// Windows: construction, memory, and what construction agreed on, as oriel/any_window.hpp.
// Operations are in c/operations.h, c/list_operations.h, c/notifications.h and c/request.h, epochs
// and completion in c/synchronization.h.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oriel/c/datatype.h"
#include "oriel/c/info.h"
#include "oriel/c/team.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oriel_window oriel_window;

// oriel/window_options.hpp defines them. Requires: all ranks give the same, but for hints.
typedef struct oriel_window_options {
  size_t struct_size;         // sizeof(oriel_window_options)
  const char* name;           // null: "window"
  const oriel_info* hints;    // null: none
  const char* memory_kind;    // null: the node's shared memory
  int ops;                    // the operations that accumulates use, bits 1 << ORIEL_OP_*; 0: any
  size_t notify_counters;     // a rank; 0: 8
  int aggregate;              // not 0: operations are many and small
  int asynchronous_progress;  // not 0: requests of other nodes are served at any time
} oriel_window_options;

// Construction is collective over `team`. Requires: all ranks give the same base, assertions
// (ORIEL_ASSERT_*, added up) and options. Blocks until every rank has called it. Returns on every
// rank alike ORIEL_ERR_MISMATCHED_ASSERTIONS, _UNSUPPORTED_ASSERTION, _UNSUPPORTED_KIND or
// _MISMATCHED_COLLECTIVE; _INFO, _ARG, _SIZE, _BASE or _TYPE for an argument of some rank; _NO_MEM,
// _SYSTEM, _PEER_FAILED or _TIMED_OUT.
//
// A window on `count` elements of `base` of zeroed memory on this rank. Counts may differ by rank;
// 0 is valid.
int oriel_window_allocate(const oriel_team* team, size_t count, const oriel_datatype* base,
                          int assertions, const oriel_window_options* options,
                          oriel_window** window);
// A window on the caller's memory, `count` elements of `base`; null and 0: without memory, to
// attach to. Requires: the memory outlives the window, and is aligned for `base` (else
// ORIEL_ERR_BASE).
int oriel_window_create(const oriel_team* team, void* memory, size_t count,
                        const oriel_datatype* base, int assertions,
                        const oriel_window_options* options, oriel_window** window);
// Collective. Requires: no rank accesses the window afterwards. Blocks as synchronization::free
// does. Frees the handle in any case. Returns the window's first failure; ORIEL_ERR_RMA_SYNC where
// this rank had epochs open, which it ends; ORIEL_ERR_PEER_FAILED, ORIEL_ERR_TIMED_OUT or
// ORIEL_ERR_MISMATCHED_COLLECTIVE.
int oriel_window_free(oriel_window* window);

// --- What was agreed. Teams, datatypes and hints are handles to be freed.
int oriel_window_team(const oriel_window* window, oriel_team** team);
int oriel_window_base(const oriel_window* window, oriel_datatype** base);
int oriel_window_assertions(const oriel_window* window, int* assertions);
int oriel_window_name(const oriel_window* window, char* text, size_t capacity, size_t* length);
int oriel_window_hints(const oriel_window* window, oriel_info** hints);
// Lines for people, whose format may change: the route to each rank and why it is no faster one,
// atomicity domain, progress, memory.
int oriel_window_explain(const oriel_window* window, char* text, size_t capacity, size_t* length);
// Bytes of oriel's own shared memory that the window takes on this node, all ranks together.
int oriel_window_metadata_bytes(const oriel_window* window, size_t* bytes);

// --- Memory. Counts and displacements in elements of the base datatype.
// This rank's memory that construction allocated or was given; what is attached is not in it.
// Returns ORIEL_ERR_NOT_ASSERTED without ORIEL_ASSERT_LOCAL_LOAD_STORE.
int oriel_window_local(const oriel_window* window, void** base, size_t* count);
// Where this process loads and stores the memory of `rank`, or, for ORIEL_ANY_RANK, of the lowest
// rank on this node that has memory; `of`, which may be null, receives that rank. Memory that
// cannot be reached: null and 0, and no failure. A reachable rank without memory: not null, and 0.
int oriel_window_shared_query(const oriel_window* window, int rank, int* of, void** base,
                              size_t* count);

typedef struct oriel_segment {
  uint32_t handle;  // what oriel_window_detach takes; 0: of construction, or else attached first
  int64_t first;    // displacement of its first element in operations on that rank
  size_t count;
  void* base;  // where this process can load and store it; null where it cannot
} oriel_segment;
// Every buffer that `rank` exposes, in the order of displacements. Returns ORIEL_ERR_RANK for a
// rank that the team does not have.
int oriel_window_segments(const oriel_window* window, int rank, oriel_segment* segments,
                          size_t capacity, size_t* number);
// Exposes `count` elements at `memory`; local. Returns ORIEL_ERR_NOT_ASSERTED without
// ORIEL_ASSERT_ATTACH; ORIEL_ERR_RMA_ATTACH where the memory is empty, a device's, or overlaps
// memory that is attached; ORIEL_ERR_RMA_SHARED where it is private and the window promises loads
// and stores by peers; ORIEL_ERR_NO_MEM.
int oriel_window_attach(oriel_window* window, void* memory, size_t count, oriel_segment* segment);
// Ends the exposure; local. The memory may be freed afterwards. Requires: no rank accesses it any
// more. Returns ORIEL_ERR_RMA_ATTACH for a handle of no attached segment.
int oriel_window_detach(oriel_window* window, uint32_t handle);

// --- Failures
// The text of the calling thread's last failure on this window, or of the window's first where this
// thread has met none; empty when nothing has failed.
int oriel_window_failure(const oriel_window* window, char* text, size_t capacity, size_t* length);
// The text of the window's first failure, whose code flush and the ends of epochs return.
int oriel_window_first_failure(const oriel_window* window, char* text, size_t capacity,
                               size_t* length);
// Discards both: flush and the ends of epochs return success again.
int oriel_window_clear_failure(oriel_window* window);

#ifdef __cplusplus
}
#endif
