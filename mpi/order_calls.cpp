// Calls of the host's after which a process may rely on what others did before: each is the host's
// own, and under ORIEL_CHECK orders accesses to windows. So do those that complete requests
// (completion_calls.cpp), and those of files (file_calls.cpp). Who sends learns nothing, save by a
// synchronous send. Under ORIEL_ADVERSARY collective ones begin late, and return late.
#include <vector>

#include "mpi/host.hpp"
#include "mpi/ordering_call.hpp"
#include "mpi/process.hpp"
#include "session/adversary_choices.hpp"

namespace oriel::mpi {
namespace {

// After a collective call by which every process of the communicator has heard of every other one:
// what each could rely on before it, and nothing else, all can after it.
int all_heard(int code, MPI_Comm comm) noexcept {
  sessions::vector_clock* const order = order_of_messages.load(std::memory_order_relaxed);
  if (order == nullptr || code != MPI_SUCCESS) [[likely]]
    return code;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0 || order->width() == 0) return heard(code);
  try {
    const std::vector<std::uint64_t> mine = order->told();
    std::vector<std::uint64_t> all(mine.size());
    const int n = static_cast<int>(mine.size());
    if (ORIEL_HOST(Allreduce)(mine.data(), all.data(), n, MPI_UINT64_T, MPI_MAX, comm) !=
        MPI_SUCCESS)
      return heard(code);
    order->learn(std::span<const std::uint64_t>(all));
    return code;
  } catch (const std::bad_alloc&) {
    return heard(code);
  }
}

// After a call that looks for something, and has `found` it.
int heard_if(int code, const int* found) noexcept {
  return code == MPI_SUCCESS && *found != 0 ? heard(code) : code;
}

// A call that receives, made by `call(status)`. What it has stored it has before it is heard of:
// the sender tells of what came before it to the receiver, not to the memory.
template <class Call>
int receive(void* to, MPI_Datatype type, MPI_Status* status, MPI_Comm comm, const void* code,
            Call call) noexcept {
  if (order_of_messages.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return call(status);
  MPI_Status own;
  MPI_Status* const about = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = call(about);
  MPI_Count bytes = 0;
  if (result == MPI_SUCCESS && bytes_without_gaps(type) != 0 &&
      PMPI_Get_elements_x(about, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0)
    accessed(to, static_cast<std::size_t>(bytes), true, code);
  return heard_from(result, result == MPI_SUCCESS ? about->MPI_SOURCE : MPI_ANY_SOURCE, comm);
}

}  // namespace
}  // namespace oriel::mpi

using oriel::mpi::all_heard;
using oriel::mpi::heard_if;

ORIEL_EXPORT int MPI_Barrier(MPI_Comm comm) {
  const oriel::sessions::late_call whole(oriel::mpi::process::lateness());
  return all_heard(ORIEL_HOST(Barrier)(comm), comm);
}
ORIEL_ALSO_PMPI(Barrier);

// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_RECEIVING_CALL(name, parameters, to, type, comm, arguments)                  \
  ORIEL_EXPORT int MPI_##name parameters {                                                 \
    return oriel::mpi::receive(to, type, s, comm, __builtin_return_address(0),             \
                               [&](MPI_Status* s) { return ORIEL_HOST(name) arguments; }); \
  }                                                                                        \
  ORIEL_ALSO_PMPI(name)
// Those that send as well, before which `tells` is called.
#define ORIEL_EXCHANGING_CALL(name, parameters, tells, to, type, arguments)                \
  ORIEL_EXPORT int MPI_##name parameters {                                                 \
    oriel::mpi::tells;                                                                     \
    return oriel::mpi::receive(to, type, s, c, __builtin_return_address(0),                \
                               [&](MPI_Status* s) { return ORIEL_HOST(name) arguments; }); \
  }                                                                                        \
  ORIEL_ALSO_PMPI(name)
// Who gets an answer has heard of who gives it, and both have heard of the other.
#define ORIEL_ANSWERED_CALL(name, count)                                               \
  ORIEL_EXPORT int MPI_##name(const void* b, count n, MPI_Datatype t, int to, int tag, \
                              MPI_Comm c) {                                            \
    oriel::mpi::about_to_send(b, n, t, to, __builtin_return_address(0));               \
    return oriel::mpi::heard(ORIEL_HOST(name)(b, n, t, to, tag, c));                   \
  }                                                                                    \
  ORIEL_ALSO_PMPI(name)
// Of all processes of a communicator.
#define ORIEL_MEETING_CALL(name, parameters, arguments)                      \
  ORIEL_EXPORT int MPI_##name parameters {                                   \
    const oriel::sessions::late_call whole(oriel::mpi::process::lateness()); \
    oriel::mpi::about_to_tell();                                             \
    return oriel::mpi::heard_in(ORIEL_HOST(name) arguments, c);              \
  }                                                                          \
  ORIEL_ALSO_PMPI(name)
// NOLINTEND(bugprone-macro-parentheses)

// In one width of counts and displacements.
#define ORIEL_ORDERING_CALLS(suffix, count, disp)                                                  \
  ORIEL_RECEIVING_CALL(                                                                            \
      Recv##suffix,                                                                                \
      (void* b, count n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status* s), b, t, c,   \
      (b, n, t, from, tag, c, s));                                                                 \
  ORIEL_RECEIVING_CALL(Mrecv##suffix,                                                              \
                       (void* b, count n, MPI_Datatype t, MPI_Message* m, MPI_Status* s), b, t,    \
                       MPI_COMM_NULL, (b, n, t, m, s));                                            \
  ORIEL_ANSWERED_CALL(Ssend##suffix, count);                                                       \
  ORIEL_EXCHANGING_CALL(                                                                           \
      Sendrecv##suffix,                                                                            \
      (const void* b, count n, MPI_Datatype t, int to, int tag, void* b2, count n2,                \
       MPI_Datatype t2, int from, int tag2, MPI_Comm c, MPI_Status* s),                            \
      about_to_send(b, n, t, to, __builtin_return_address(0)), b2, t2,                             \
      (b, n, t, to, tag, b2, n2, t2, from, tag2, c, s));                                           \
  ORIEL_EXCHANGING_CALL(Sendrecv_replace##suffix,                                                  \
                        (void* b, count n, MPI_Datatype t, int to, int tag, int from, int tag2,    \
                         MPI_Comm c, MPI_Status* s),                                               \
                        about_to_tell(), b, t, (b, n, t, to, tag, from, tag2, c, s));              \
  ORIEL_MEETING_CALL(Bcast##suffix, (void* b, count n, MPI_Datatype t, int root, MPI_Comm c),      \
                     (b, n, t, root, c));                                                          \
  ORIEL_MEETING_CALL(Gather##suffix,                                                               \
                     (const void* b, count n, MPI_Datatype t, void* b2, count n2, MPI_Datatype t2, \
                      int root, MPI_Comm c),                                                       \
                     (b, n, t, b2, n2, t2, root, c));                                              \
  ORIEL_MEETING_CALL(Gatherv##suffix,                                                              \
                     (const void* b, count n, MPI_Datatype t, void* b2, const count n2[],          \
                      const disp d[], MPI_Datatype t2, int root, MPI_Comm c),                      \
                     (b, n, t, b2, n2, d, t2, root, c));                                           \
  ORIEL_MEETING_CALL(Scatter##suffix,                                                              \
                     (const void* b, count n, MPI_Datatype t, void* b2, count n2, MPI_Datatype t2, \
                      int root, MPI_Comm c),                                                       \
                     (b, n, t, b2, n2, t2, root, c));                                              \
  ORIEL_MEETING_CALL(Scatterv##suffix,                                                             \
                     (const void* b, const count n[], const disp d[], MPI_Datatype t, void* b2,    \
                      count n2, MPI_Datatype t2, int root, MPI_Comm c),                            \
                     (b, n, d, t, b2, n2, t2, root, c));                                           \
  ORIEL_MEETING_CALL(                                                                              \
      Allgather##suffix,                                                                           \
      (const void* b, count n, MPI_Datatype t, void* b2, count n2, MPI_Datatype t2, MPI_Comm c),   \
      (b, n, t, b2, n2, t2, c));                                                                   \
  ORIEL_MEETING_CALL(Allgatherv##suffix,                                                           \
                     (const void* b, count n, MPI_Datatype t, void* b2, const count n2[],          \
                      const disp d[], MPI_Datatype t2, MPI_Comm c),                                \
                     (b, n, t, b2, n2, d, t2, c));                                                 \
  ORIEL_MEETING_CALL(                                                                              \
      Alltoall##suffix,                                                                            \
      (const void* b, count n, MPI_Datatype t, void* b2, count n2, MPI_Datatype t2, MPI_Comm c),   \
      (b, n, t, b2, n2, t2, c));                                                                   \
  ORIEL_MEETING_CALL(Alltoallv##suffix,                                                            \
                     (const void* b, const count n[], const disp d[], MPI_Datatype t, void* b2,    \
                      const count n2[], const disp d2[], MPI_Datatype t2, MPI_Comm c),             \
                     (b, n, d, t, b2, n2, d2, t2, c));                                             \
  ORIEL_MEETING_CALL(                                                                              \
      Alltoallw##suffix,                                                                           \
      (const void* b, const count n[], const disp d[], const MPI_Datatype t[], void* b2,           \
       const count n2[], const disp d2[], const MPI_Datatype t2[], MPI_Comm c),                    \
      (b, n, d, t, b2, n2, d2, t2, c));                                                            \
  ORIEL_MEETING_CALL(                                                                              \
      Neighbor_allgather##suffix,                                                                  \
      (const void* b, count n, MPI_Datatype t, void* b2, count n2, MPI_Datatype t2, MPI_Comm c),   \
      (b, n, t, b2, n2, t2, c));                                                                   \
  ORIEL_MEETING_CALL(                                                                              \
      Neighbor_alltoall##suffix,                                                                   \
      (const void* b, count n, MPI_Datatype t, void* b2, count n2, MPI_Datatype t2, MPI_Comm c),   \
      (b, n, t, b2, n2, t2, c));                                                                   \
  ORIEL_MEETING_CALL(Neighbor_allgatherv##suffix,                                                  \
                     (const void* b, count n, MPI_Datatype t, void* b2, const count n2[],          \
                      const disp d[], MPI_Datatype t2, MPI_Comm c),                                \
                     (b, n, t, b2, n2, d, t2, c));                                                 \
  ORIEL_MEETING_CALL(Neighbor_alltoallv##suffix,                                                   \
                     (const void* b, const count n[], const disp d[], MPI_Datatype t, void* b2,    \
                      const count n2[], const disp d2[], MPI_Datatype t2, MPI_Comm c),             \
                     (b, n, d, t, b2, n2, d2, t2, c));                                             \
  ORIEL_MEETING_CALL(                                                                              \
      Neighbor_alltoallw##suffix,                                                                  \
      (const void* b, const count n[], const MPI_Aint d[], const MPI_Datatype t[], void* b2,       \
       const count n2[], const MPI_Aint d2[], const MPI_Datatype t2[], MPI_Comm c),                \
      (b, n, d, t, b2, n2, d2, t2, c));                                                            \
  ORIEL_MEETING_CALL(                                                                              \
      Reduce##suffix,                                                                              \
      (const void* b, void* b2, count n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c),         \
      (b, b2, n, t, op, root, c));                                                                 \
  ORIEL_MEETING_CALL(Allreduce##suffix,                                                            \
                     (const void* b, void* b2, count n, MPI_Datatype t, MPI_Op op, MPI_Comm c),    \
                     (b, b2, n, t, op, c));                                                        \
  ORIEL_MEETING_CALL(                                                                              \
      Reduce_scatter##suffix,                                                                      \
      (const void* b, void* b2, const count n[], MPI_Datatype t, MPI_Op op, MPI_Comm c),           \
      (b, b2, n, t, op, c));                                                                       \
  ORIEL_MEETING_CALL(Reduce_scatter_block##suffix,                                                 \
                     (const void* b, void* b2, count n, MPI_Datatype t, MPI_Op op, MPI_Comm c),    \
                     (b, b2, n, t, op, c));                                                        \
  ORIEL_MEETING_CALL(Scan##suffix,                                                                 \
                     (const void* b, void* b2, count n, MPI_Datatype t, MPI_Op op, MPI_Comm c),    \
                     (b, b2, n, t, op, c));                                                        \
  ORIEL_MEETING_CALL(Exscan##suffix,                                                               \
                     (const void* b, void* b2, count n, MPI_Datatype t, MPI_Op op, MPI_Comm c),    \
                     (b, b2, n, t, op, c))

ORIEL_ORDERING_CALLS(, int, int);
#if MPI_VERSION >= 4
ORIEL_ORDERING_CALLS(_c, MPI_Count, MPI_Aint);
#endif

// Who finds a message has heard of its sender.
ORIEL_ORDERING_CALL(Probe, (int from, int tag, MPI_Comm c, MPI_Status* s), (from, tag, c, s));
ORIEL_ORDERING_CALL(Mprobe, (int from, int tag, MPI_Comm c, MPI_Message* m, MPI_Status* s),
                    (from, tag, c, m, s));
ORIEL_EXPORT int MPI_Iprobe(int from, int tag, MPI_Comm c, int* found, MPI_Status* s) {
  return heard_if(ORIEL_HOST(Iprobe)(from, tag, c, found, s), found);
}
ORIEL_ALSO_PMPI(Iprobe);
ORIEL_EXPORT int MPI_Improbe(int from, int tag, MPI_Comm c, int* found, MPI_Message* m,
                             MPI_Status* s) {
  return heard_if(ORIEL_HOST(Improbe)(from, tag, c, found, m, s), found);
}
ORIEL_ALSO_PMPI(Improbe);
#if MPI_VERSION >= 4
ORIEL_EXPORT int MPI_Parrived(MPI_Request request, int part, int* arrived) {
  return heard_if(ORIEL_HOST(Parrived)(request, part, arrived), arrived);
}
ORIEL_ALSO_PMPI(Parrived);
#endif

ORIEL_ORDERING_CALL(Comm_dup, (MPI_Comm c, MPI_Comm* made), (c, made));
ORIEL_ORDERING_CALL(Comm_dup_with_info, (MPI_Comm c, MPI_Info info, MPI_Comm* made),
                    (c, info, made));
ORIEL_ORDERING_CALL(Comm_split, (MPI_Comm c, int color, int key, MPI_Comm* made),
                    (c, color, key, made));
ORIEL_ORDERING_CALL(Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info info, MPI_Comm* made),
                    (c, type, key, info, made));
ORIEL_ORDERING_CALL(Comm_create, (MPI_Comm c, MPI_Group g, MPI_Comm* made), (c, g, made));
ORIEL_ORDERING_CALL(Comm_create_group, (MPI_Comm c, MPI_Group g, int tag, MPI_Comm* made),
                    (c, g, tag, made));
ORIEL_ORDERING_CALL(Intercomm_create,
                    (MPI_Comm c, int leader, MPI_Comm peers, int other, int tag, MPI_Comm* made),
                    (c, leader, peers, other, tag, made));
ORIEL_ORDERING_CALL(Intercomm_merge, (MPI_Comm c, int high, MPI_Comm* made), (c, high, made));
ORIEL_ORDERING_CALL(Cart_create,
                    (MPI_Comm c, int n, const int dims[], const int periods[], int reorder,
                     MPI_Comm* made),
                    (c, n, dims, periods, reorder, made));
ORIEL_ORDERING_CALL(Cart_sub, (MPI_Comm c, const int remain[], MPI_Comm* made), (c, remain, made));
ORIEL_ORDERING_CALL(Graph_create,
                    (MPI_Comm c, int n, const int index[], const int edges[], int reorder,
                     MPI_Comm* made),
                    (c, n, index, edges, reorder, made));
ORIEL_ORDERING_CALL(Dist_graph_create,
                    (MPI_Comm c, int n, const int from[], const int degrees[], const int to[],
                     const int weights[], MPI_Info info, int reorder, MPI_Comm* made),
                    (c, n, from, degrees, to, weights, info, reorder, made));
ORIEL_ORDERING_CALL(Dist_graph_create_adjacent,
                    (MPI_Comm c, int n, const int from[], const int weights[], int n2,
                     const int to[], const int weights2[], MPI_Info info, int reorder,
                     MPI_Comm* made),
                    (c, n, from, weights, n2, to, weights2, info, reorder, made));
ORIEL_ORDERING_CALL(Comm_accept,
                    (const char* port, MPI_Info info, int root, MPI_Comm c, MPI_Comm* made),
                    (port, info, root, c, made));
ORIEL_ORDERING_CALL(Comm_connect,
                    (const char* port, MPI_Info info, int root, MPI_Comm c, MPI_Comm* made),
                    (port, info, root, c, made));
ORIEL_ORDERING_CALL(Comm_spawn,
                    (const char* program, char* arguments[], int n, MPI_Info info, int root,
                     MPI_Comm c, MPI_Comm* made, int codes[]),
                    (program, arguments, n, info, root, c, made, codes));
ORIEL_ORDERING_CALL(Comm_spawn_multiple,
                    (int n, char* programs[], char** arguments[], const int processes[],
                     const MPI_Info infos[], int root, MPI_Comm c, MPI_Comm* made, int codes[]),
                    (n, programs, arguments, processes, infos, root, c, made, codes));
ORIEL_ORDERING_CALL(Comm_disconnect, (MPI_Comm * c), (c));
