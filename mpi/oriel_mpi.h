/* oriel's window constructors for MPI programs: the proposal's MPI_Win_allocate_new and
 * MPI_Win_create_new under MPIX names.
 *
 * Link with liboriel-mpich or liboriel-openmpi before the MPI library, or preload it. A window made
 * here is an MPI window like any other: MPI_Put, MPI_Win_lock, MPI_Win_free and the rest take it.
 *
 * What the proposal's signatures lack and why it was added here:
 *   count  MPI_Win_allocate_new has no size. Elements of `base`; ranks may differ; 0 is allowed.
 *   info   hints that are no assertions (names of memory kinds, alignment) need a place.
 *
 * Errors are raised on the communicator, on every rank alike:
 *   MPI_ERR_ASSERT  an asserted feature cannot be provided, or the ranks assert differently
 *   MPI_ERR_TYPE    `base` cannot be a base type; MPI_ERR_SIZE a negative count
 *   MPI_ERR_NO_MEM, MPI_ERR_INFO_VALUE
 *   MPI_ERR_OTHER   there is no session to make it in (see docs/MPI.md)
 * Using a feature that was not asserted raises MPI_ERR_ASSERT on the window. */
#ifndef ORIEL_MPI_H
#define ORIEL_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of the constants below, joined by |. They state the intent to use a feature. */
typedef int MPIX_Window_assertions;

/* MPIX_WINDOW_LOCAL_LOAD_STORE, MPIX_WINDOW_REMOTE_LOAD_STORE, MPIX_WINDOW_PSCW, MPIX_WINDOW_FENCE,
 * MPIX_WINDOW_SHARED_LOCK, … as assertion.def lists and explains them. MPIX_WINDOW_ATTACH is for
 * MPIX_Win_create_new only. */
enum {
#define ORIEL_ASSERTION(bit, cpp_name, name) MPIX_WINDOW_##name = 1 << (bit),
#define ORIEL_EXTENSION(bit, cpp_name, name)
#include <oriel/enumerations/assertion.def>
};

/* One buffer that a rank exposes: `size` bytes, reached at displacement `disp` in operations on
 * that rank, and by load and store of this process at `base`, which is NULL where it cannot. */
typedef struct MPIX_Segment {
  MPI_Aint disp;
  MPI_Aint size;
  void* base;
} MPIX_Segment;

/* Collective over `comm`; blocks until every rank has called it. A window on `count` elements of
 * `base`, zeroed. `baseptr` is the address of a pointer, which is set to this rank's memory. The
 * displacement unit is the extent of `base`. */
int MPIX_Win_allocate_new(MPI_Datatype base, MPI_Aint count, MPIX_Window_assertions assertions,
                          MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win);

/* The same on `count` elements of the caller's memory at `memory`, which must outlive the window.
 * With MPIX_WINDOW_ATTACH the window is a dynamic one, to which `memory`, unless it is NULL, is
 * attached at once: displacements are addresses (MPI_Get_address), in bytes, as in windows of
 * MPI_Win_create_dynamic. */
int MPIX_Win_create_new(MPI_Datatype base, void* memory, MPI_Aint count,
                        MPIX_Window_assertions assertions, MPI_Info info, MPI_Comm comm,
                        MPI_Win* win);

/* Local: every buffer that rank `rank` exposes, by displacement. Sets `*found` to their number and
 * fills the first `most` of `segments`; most = 0 returns the number alone. Raises MPI_ERR_RANK for
 * a rank that the window does not have. */
int MPIX_Win_segments(MPI_Win win, int rank, int most, MPIX_Segment segments[], int* found);

/* Local: lines for people, with the route to each rank and why it is no faster one. At most `room`
 * characters, the terminating zero among them, go to `text`; `*length` is the length of the whole
 * text without the zero. */
int MPIX_Win_explain(MPI_Win win, int room, char* text, int* length);

#ifdef __cplusplus
}
#endif
#endif
