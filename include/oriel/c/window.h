// Windows: construction, memory, and what was agreed, as oriel/any_window.hpp. Operations on them
// are in c/operations.h and c/request.h, epochs and completion in c/synchronization.h.
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

// oriel/window_options.hpp defines what each means. All ranks give the same, but for hints.
typedef struct oriel_window_options {
  size_t struct_size;       // sizeof(oriel_window_options)
  const char* name;         // null: "window"
  const oriel_info* hints;  // null: none
  const char* memory_kind;  // null: the node's shared memory
  int ops;                  // the operations that accumulates use, bits 1 << ORIEL_OP_*; 0: any
  size_t notify_counters;   // a rank; 0: 8
} oriel_window_options;

// Construction is collective over `team`: all ranks give the same base and assertions
// (ORIEL_ASSERT_*, added up), and all succeed or all fail alike, with
// ORIEL_ERR_MISMATCHED_ASSERTIONS, _UNSUPPORTED_ASSERTION, _UNSUPPORTED_KIND, _INFO, _SIZE,
// _NO_MEM, _RMA_FLAVOR or _PEER_FAILED.
//
// `count` elements of `base` of zeroed memory on this rank. Counts may differ; 0 is allowed.
int oriel_window_allocate(const oriel_team* team, size_t count, const oriel_datatype* base,
                          int assertions, const oriel_window_options* options,
                          oriel_window** window);
// The caller's memory, `count` elements of `base`, which must outlive the window; null and 0: none
// yet, to attach to.
int oriel_window_create(const oriel_team* team, void* memory, size_t count,
                        const oriel_datatype* base, int assertions,
                        const oriel_window_options* options, oriel_window** window);
// Collective: no rank may access the window afterwards. Ends the epochs that this rank has left
// open, which is ORIEL_ERR_RMA_SYNC. Returns the first failure; the handle is gone in any case.
int oriel_window_free(oriel_window* window);

// --- What was agreed. Teams, datatypes and hints are handles to be freed.
int oriel_window_team(const oriel_window* window, oriel_team** team);
int oriel_window_base(const oriel_window* window, oriel_datatype** base);
int oriel_window_assertions(const oriel_window* window, int* assertions);
int oriel_window_name(const oriel_window* window, char* text, size_t capacity, size_t* length);
int oriel_window_hints(const oriel_window* window, oriel_info** hints);
// Why it is as fast as it is, in lines for people; the format may change.
int oriel_window_explain(const oriel_window* window, char* text, size_t capacity, size_t* length);
// Bytes of oriel's own shared memory that the window takes on this node, all ranks together.
int oriel_window_metadata_bytes(const oriel_window* window, size_t* bytes);

// --- Memory. Counts and displacements in elements of the base datatype.
// This rank's first segment; null where it has none. Needs ORIEL_ASSERT_LOCAL_LOAD_STORE.
int oriel_window_local(const oriel_window* window, void** base, size_t* count);
// Where this process can load and store the memory of `rank`; ORIEL_ANY_RANK: the lowest rank of
// this node that has memory, which is stored in `of`. Not reachable: null and 0, and no failure.
// Reachable without memory: not null, and 0. `of` may be null.
int oriel_window_shared_query(const oriel_window* window, int rank, int* of, void** base,
                              size_t* count);

typedef struct oriel_segment {
  uint32_t handle;  // what oriel_window_detach takes; 0: the memory that was given to create
  int64_t first;    // displacement of its first element in operations on that rank
  size_t count;
  void* base;  // where this process can load and store it; null where it cannot
} oriel_segment;
// Every buffer that `rank` exposes, by displacement.
int oriel_window_segments(const oriel_window* window, int rank, oriel_segment* segments,
                          size_t capacity, size_t* number);
// Local; needs ORIEL_ASSERT_ATTACH. ORIEL_ERR_RMA_ATTACH when the memory is empty or overlaps what
// is attached, or is not attached; ORIEL_ERR_NO_MEM. Detached memory may be freed.
int oriel_window_attach(oriel_window* window, void* memory, size_t count, oriel_segment* segment);
int oriel_window_detach(oriel_window* window, uint32_t handle);

// --- Failures
// The text of the calling thread's last failure, or of the window's first where this thread has met
// none; empty when nothing failed.
int oriel_window_failure(const oriel_window* window, char* text, size_t capacity, size_t* length);
// Of the window's first, whose code flush, fence, unlock and complete return until it is cleared.
int oriel_window_first_failure(const oriel_window* window, char* text, size_t capacity,
                               size_t* length);
int oriel_window_clear_failure(oriel_window* window);

#ifdef __cplusplus
}
#endif
