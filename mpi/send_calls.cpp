// Calls of the host's by which a process may tell others what it has done: each is the host's own,
// and under ORIEL_CHECK says what that is first. A synchronous send, and what receives as well, are
// among those that hear (order_calls.cpp); requests tell of what they receive when they are
// completed.
#include "mpi/host.hpp"
#include "mpi/known_requests.hpp"
#include "mpi/order.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_TELLING_CALL(name, parameters, arguments) \
  ORIEL_EXPORT int MPI_##name parameters {              \
    oriel::mpi::about_to_tell();                        \
    return ORIEL_HOST(name) arguments;                  \
  }                                                     \
  ORIEL_ALSO_PMPI(name)

#define ORIEL_SENDING_CALL(name, count)                                                \
  ORIEL_EXPORT int MPI_##name(const void* b, count n, MPI_Datatype t, int to, int tag, \
                              MPI_Comm c) {                                            \
    oriel::mpi::about_to_send(b, n, t, to, __builtin_return_address(0));               \
    return ORIEL_HOST(name)(b, n, t, to, tag, c);                                      \
  }                                                                                    \
  ORIEL_ALSO_PMPI(name)
#define ORIEL_BEGINNING_CALL(name, count)                                                          \
  ORIEL_EXPORT int MPI_##name(const void* b, count n, MPI_Datatype t, int to, int tag, MPI_Comm c, \
                              MPI_Request* request) {                                              \
    oriel::mpi::about_to_tell();                                                                   \
    return oriel::mpi::note_send(ORIEL_HOST(name)(b, n, t, to, tag, c, request), request);         \
  }                                                                                                \
  ORIEL_ALSO_PMPI(name)
#define ORIEL_AWAITING_CALL(name, count)                                                       \
  ORIEL_EXPORT int MPI_##name(void* b, count n, MPI_Datatype t, int from, int tag, MPI_Comm c, \
                              MPI_Request* request) {                                          \
    return oriel::mpi::note_receive(ORIEL_HOST(name)(b, n, t, from, tag, c, request), request, \
                                    from, c);                                                  \
  }                                                                                            \
  ORIEL_ALSO_PMPI(name)
// NOLINTEND(bugprone-macro-parentheses)

#define ORIEL_SENDING_CALLS(suffix, count)                                                   \
  ORIEL_SENDING_CALL(Send##suffix, count);                                                   \
  ORIEL_SENDING_CALL(Bsend##suffix, count);                                                  \
  ORIEL_SENDING_CALL(Rsend##suffix, count);                                                  \
  ORIEL_BEGINNING_CALL(Isend##suffix, count);                                                \
  ORIEL_BEGINNING_CALL(Ibsend##suffix, count);                                               \
  ORIEL_BEGINNING_CALL(Irsend##suffix, count);                                               \
  ORIEL_AWAITING_CALL(Irecv##suffix, count);                                                 \
  ORIEL_TELLING_CALL(                                                                        \
      Issend##suffix,                                                                        \
      (const void* b, count n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r), \
      (b, n, t, to, tag, c, r))

ORIEL_SENDING_CALLS(, int);
ORIEL_TELLING_CALL(Start, (MPI_Request * request), (request));
ORIEL_TELLING_CALL(Startall, (int n, MPI_Request requests[]), (n, requests));

#if MPI_VERSION >= 4
ORIEL_SENDING_CALLS(_c, MPI_Count);
#define ORIEL_EXCHANGING_CALLS(suffix, count)                                                      \
  ORIEL_TELLING_CALL(Isendrecv##suffix,                                                            \
                     (const void* b, count n, MPI_Datatype t, int to, int tag, void* b2, count n2, \
                      MPI_Datatype t2, int from, int tag2, MPI_Comm c, MPI_Request* r),            \
                     (b, n, t, to, tag, b2, n2, t2, from, tag2, c, r));                            \
  ORIEL_TELLING_CALL(Isendrecv_replace##suffix,                                                    \
                     (void* b, count n, MPI_Datatype t, int to, int tag, int from, int tag2,       \
                      MPI_Comm c, MPI_Request* r),                                                 \
                     (b, n, t, to, tag, from, tag2, c, r))
ORIEL_EXCHANGING_CALLS(, int);
ORIEL_EXCHANGING_CALLS(_c, MPI_Count);
ORIEL_TELLING_CALL(Pready, (int part, MPI_Request request), (part, request));
ORIEL_TELLING_CALL(Pready_range, (int low, int high, MPI_Request request), (low, high, request));
// Whose parts MPICH 4.0 does not declare const.
template <class Parts>
Parts parts_of(int (*)(int, Parts, MPI_Request));
using list_of_parts = decltype(parts_of(&PMPI_Pready_list));
ORIEL_TELLING_CALL(Pready_list, (int n, list_of_parts parts, MPI_Request request),
                   (n, parts, request));
#endif
