// What a rank has done on a window, as oriel/statistics.hpp, which says what is counted.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oriel/c/window.h"

#ifdef __cplusplus
extern "C" {
#endif

// The kinds of operations, the routes and the causes of waits, in the order of the C++
// enumerations; their numbers never change.
enum {
  ORIEL_STATISTICS_PUT = 0,
  ORIEL_STATISTICS_GET,
  ORIEL_STATISTICS_ACCUMULATE,
  ORIEL_STATISTICS_FETCH_OP,
  ORIEL_STATISTICS_COMPARE_SWAP,
  ORIEL_STATISTICS_PUT_NOTIFY,
  ORIEL_STATISTICS_KINDS
};
enum {
  ORIEL_ROUTE_SELF = 0,
  ORIEL_ROUTE_LOAD_STORE,
  ORIEL_ROUTE_IPC,
  ORIEL_ROUTE_CMA,
  ORIEL_ROUTE_OWNER_MAIL,
  ORIEL_ROUTE_FABRIC,
  ORIEL_ROUTE_ATTACHED,
  ORIEL_ROUTE_OWNER_MESSAGE,
  ORIEL_ROUTE_PACKET,
  ORIEL_ROUTE_OTHER,
  ORIEL_STATISTICS_ROUTES
};
enum {
  ORIEL_WAIT_LOCK = 0,
  ORIEL_WAIT_FENCE,
  ORIEL_WAIT_START,
  ORIEL_WAIT_WAIT,
  ORIEL_WAIT_NOTIFICATION,
  ORIEL_WAIT_COMPLETION,
  ORIEL_WAIT_ROOM,
  ORIEL_STATISTICS_WAITS
};
enum { ORIEL_STATISTICS_SIZES = 8 };

typedef struct oriel_window_counts {
  size_t struct_size;  // sizeof(oriel_window_counts), set by the caller
  uint64_t operations[ORIEL_STATISTICS_KINDS][ORIEL_STATISTICS_ROUTES];
  uint64_t bytes[ORIEL_STATISTICS_KINDS][ORIEL_STATISTICS_ROUTES];
  // Operations of at most 8, 64, 512, 4 Ki, 32 Ki, 256 Ki and 2 Mi bytes, and longer ones.
  uint64_t by_size[ORIEL_STATISTICS_SIZES];
  uint64_t waits[ORIEL_STATISTICS_WAITS];
  uint64_t wait_nanoseconds[ORIEL_STATISTICS_WAITS];
  uint64_t packets;      // messages that carried many operations,
  uint64_t packed;       // and these operations
  uint64_t agent_wakes;  // of this process's agent, for all windows
  uint64_t retries;      // of what the provider had not taken, since it was busy
  uint64_t messages;     // reads, writes and messages to other nodes of one operation each, or of a
                         // part of one: packets are others
} oriel_window_counts;

// Local. Requires: counts->struct_size is set; ORIEL_ERR_ARG for one that is not valid.
int oriel_window_statistics(const oriel_window* window, oriel_window_counts* counts);

#ifdef __cplusplus
}
#endif
