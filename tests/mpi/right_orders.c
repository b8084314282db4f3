/* What right_orders.sh starts: rank 0 puts and flushes, rank 1 hears of that by one call and puts
 * to the same place. Nothing conflicts; right_orders missed has calls that tell nothing. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { cases = 64 };
static MPI_Win win, shared;
static int rank, one = 1, two = 2, place;
static volatile int* done; /* rank 0 has: the checks do not hear of loads */
static char file[300];
static int several[4], *mine;

/* Errors are returned: each of several that are refused at one line is told. */
static void put(const int* value) {
  if (MPI_Put(value, 1, MPI_INT, 0, place, 1, MPI_INT, win) != MPI_SUCCESS)
    printf("refused: %d\n", place);
  MPI_Win_flush(0, win);
}
static int begin(void) {
  ++place;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) put(&one);
  return rank;
}

/* Each rank's part of the call, with rank 0's put before and rank 1's behind. */
#define IN_ORDER(first, second) \
  if (begin() == 0) {           \
    first;                      \
  } else {                      \
    second;                     \
    put(&two);                  \
  }
/* A collective call, which some do not wait for others in. */
#define TOGETHER(call)       \
  if (begin() == 0) {        \
    *done = place;           \
    call;                    \
  } else {                   \
    while (*done != place) { \
    }                        \
    call;                    \
    put(&two);               \
  }
#define SEND MPI_Send(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD)
#define RECEIVE(message) MPI_Mrecv(&got, 1, MPI_INT, message, MPI_STATUS_IGNORE)
#define RECEIVE_ANY \
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)

static void by_messages(void) {
  int flag, got;
  MPI_Message message;
  MPI_Request request, both[2];
  MPI_Comm alone, between;
  IN_ORDER(SEND, MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
  if (rank == 1) MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  IN_ORDER(SEND, for (flag = 0; !flag;) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE))
  if (rank == 1) MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  IN_ORDER(SEND, MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE))
  if (rank == 1) RECEIVE(&message);
  IN_ORDER(SEND, for (flag = 0; !flag;)
                     MPI_Improbe(0, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE))
  if (rank == 1) RECEIVE(&message);
  if (rank == 1) MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  IN_ORDER(SEND, for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE))
  if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  IN_ORDER(MPI_Ssend(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD), RECEIVE_ANY)
  IN_ORDER(MPI_Isend(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
           MPI_Wait(&request, MPI_STATUS_IGNORE), RECEIVE_ANY)
  IN_ORDER(MPI_Send_init(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); MPI_Start(&request);
           MPI_Wait(&request, MPI_STATUS_IGNORE); MPI_Request_free(&request), RECEIVE_ANY)
  IN_ORDER(MPI_Sendrecv(&one, 1, MPI_INT, 1, 0, &got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE),
           MPI_Sendrecv(&one, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE))
#define EXCHANGE(peer)                                            \
  MPI_Irecv(&got, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &both[0]); \
  MPI_Isend(&one, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &both[1])
  IN_ORDER(EXCHANGE(1); MPI_Waitall(2, both, MPI_STATUSES_IGNORE), EXCHANGE(0);
           MPI_Waitall(2, both, MPI_STATUSES_IGNORE))
  IN_ORDER(SEND, MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
           for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE))
  IN_ORDER(SEND, MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
           MPI_Waitany(1, &request, &flag, MPI_STATUS_IGNORE))
  /* A handle that one request has left to another, which tells of everything. */
  for (int i = 0; i < 3; ++i) {
    if (rank == 1) {
      MPI_Irecv(&got, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
    IN_ORDER(MPI_Ibarrier(MPI_COMM_WORLD, &request);
             MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_Ibarrier(MPI_COMM_WORLD, &request);
             MPI_Wait(&request, MPI_STATUS_IGNORE))
  }
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, 1 - rank, 7, &between);
  IN_ORDER(MPI_Send(&one, 1, MPI_INT, 0, 0, between),
           MPI_Recv(&got, 1, MPI_INT, 0, 0, between, MPI_STATUS_IGNORE))
  MPI_Comm_free(&between);
  MPI_Comm_free(&alone);
}

static void by_neighbors(void) {
  int peer = 1 - rank, weights[1] = {1}, counts[1] = {1}, places[1] = {0}, mine[2] = {0, 0},
      theirs[2];
  MPI_Aint bytes[1] = {0};
  MPI_Datatype types[1] = {MPI_INT};
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &peer, weights, 1, &peer, weights,
                                 MPI_INFO_NULL, 0, &ring);
  TOGETHER(MPI_Neighbor_allgatherv(mine, 1, MPI_INT, theirs, counts, places, MPI_INT, ring))
  TOGETHER(
      MPI_Neighbor_alltoallv(mine, counts, places, MPI_INT, theirs, counts, places, MPI_INT, ring))
  TOGETHER(MPI_Neighbor_alltoallw(mine, counts, bytes, types, theirs, counts, bytes, types, ring))
  MPI_Comm_free(&ring);
}

static void by_communicators(void) {
  int peer = 1 - rank, ranks = 2, periods = 1, weights[1] = {1};
  int degrees[2] = {1, 1}, ends[2] = {1, 2}, edges[2] = {1, 0};
  MPI_Comm made[12];
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  TOGETHER(MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made[0]))
  TOGETHER(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made[1]))
  TOGETHER(MPI_Comm_create_group(MPI_COMM_WORLD, all, 3, &made[2]))
  TOGETHER(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, peer, 4, &made[3]))
  TOGETHER(MPI_Intercomm_merge(made[3], rank, &made[4]))
  TOGETHER(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periods, 0, &made[5]))
  TOGETHER(MPI_Cart_sub(made[5], &periods, &made[6]))
  TOGETHER(MPI_Graph_create(MPI_COMM_WORLD, 2, ends, edges, 0, &made[7]))
  TOGETHER(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &peer, weights, 1, &peer, weights,
                                          MPI_INFO_NULL, 0, &made[8]))
  TOGETHER(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, degrees, &peer, weights, MPI_INFO_NULL,
                                 0, &made[9]))
  for (int i = 0; i < 10; ++i) MPI_Comm_free(&made[i]);
  MPI_Group_free(&all);
}

static void by_files(void) {
  int got = 0;
  MPI_Offset size;
  MPI_File f;
  TOGETHER(MPI_File_open(MPI_COMM_WORLD, file, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f))
  MPI_File_set_atomicity(f, 1);
  TOGETHER(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL))
  TOGETHER(MPI_File_set_size(f, 0))
  IN_ORDER(MPI_File_write_at(f, 0, &two, 1, MPI_INT, MPI_STATUS_IGNORE),
           while (got != two) MPI_File_read_at(f, 0, &got, 1, MPI_INT, MPI_STATUS_IGNORE))
  IN_ORDER(MPI_File_write_at(f, 9, &two, 1, MPI_INT, MPI_STATUS_IGNORE),
           for (size = 0; size < 40;) MPI_File_get_size(f, &size))
  TOGETHER(MPI_File_read_at_all(f, 0, &got, 1, MPI_INT, MPI_STATUS_IGNORE))
  TOGETHER(MPI_File_write_all(f, &got, 1, MPI_INT, MPI_STATUS_IGNORE))
  TOGETHER(MPI_File_sync(f))
  TOGETHER(MPI_File_close(&f))
}

/* What an operation has read may be written once its request, or a flush, says that it has. */
#define READS(operation, complete) \
  ++place;                         \
  for (int k = 0; k < 3; ++k) {    \
    operation;                     \
    complete;                      \
    put(&got);                     \
  }
static void by_reads(void) {
  int got = 0, flag, which;
  MPI_Request request;
  MPI_Status status;
  MPI_Datatype gaps;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
#define RGET MPI_Rget(&got, 1, MPI_INT, 0, place, 1, MPI_INT, win, &request)
  READS(RGET, MPI_Wait(&request, &status))
  READS(RGET, MPI_Waitall(1, &request, &status))
  READS(RGET, MPI_Waitany(1, &request, &which, &status))
  READS(RGET, MPI_Waitsome(1, &request, &flag, &which, &status))
  READS(RGET, for (flag = 0; !flag;) MPI_Test(&request, &flag, &status))
  READS(RGET, for (flag = 0; !flag;) MPI_Testall(1, &request, &flag, &status))
  READS(RGET, for (flag = 0; !flag;) MPI_Testany(1, &request, &which, &flag, &status))
  READS(RGET, for (flag = 0; !flag;) MPI_Testsome(1, &request, &flag, &which, &status))
  READS(RGET, for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
        MPI_Wait(&request, &status))
  READS(MPI_Rget(several, 1, gaps, 0, place, 1, gaps, win, &request), MPI_Wait(&request, &status))
  READS(MPI_Rget_accumulate(NULL, 0, MPI_INT, &got, 1, MPI_INT, 0, place, 1, MPI_INT, MPI_NO_OP,
                            win, &request),
        MPI_Wait(&request, &status))
  READS(MPI_Fetch_and_op(NULL, &got, MPI_INT, 0, place, MPI_NO_OP, win),
        MPI_Win_flush_local(0, win))
  READS(
      MPI_Get_accumulate(NULL, 0, MPI_INT, &got, 1, MPI_INT, 0, place, 1, MPI_INT, MPI_NO_OP, win),
      MPI_Win_flush_local_all(win))
  MPI_Type_free(&gaps);
}

/* What a message has been read from may be written by who has received it; results are sent once
 * they are there. */
static void by_sends(void) {
  char room[MPI_BSEND_OVERHEAD + sizeof(int)];
  int got = 0, other, size = sizeof room;
  void* detached;
  MPI_Request request;
  MPI_Buffer_attach(room, size);
#define SENT_FROM_THERE(send)                                                     \
  ++place;                                                                        \
  if (rank == 1) MPI_Irecv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);     \
  MPI_Barrier(MPI_COMM_WORLD);                                                    \
  if (rank == 0) {                                                                \
    send;                                                                         \
  } else {                                                                        \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                        \
    put(&two);                                                                    \
    MPI_Get(&got, 1, MPI_INT, 0, place, 1, MPI_INT, win);                         \
    MPI_Win_flush_local(0, win);                                                  \
    MPI_Sendrecv(&got, 1, MPI_INT, 0, 6, &other, 1, MPI_INT, 0, 6, MPI_COMM_SELF, \
                 MPI_STATUS_IGNORE);                                              \
  }
#define THERE mine + place, 1, MPI_INT, 1, 5
  SENT_FROM_THERE(MPI_Send(THERE, MPI_COMM_WORLD))
  SENT_FROM_THERE(MPI_Ssend(THERE, MPI_COMM_WORLD))
  SENT_FROM_THERE(MPI_Bsend(THERE, MPI_COMM_WORLD))
  SENT_FROM_THERE(MPI_Rsend(THERE, MPI_COMM_WORLD))
  SENT_FROM_THERE(
      MPI_Sendrecv(THERE, NULL, 0, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
  MPI_Buffer_detach(&detached, &size);
}

/* Rank 0 has put before rank 1 calls, and is not heard of by it. */
static void missed(void) {
  int flag = 0, got;
  MPI_Message message;
  MPI_Request request;
  MPI_Status status;

#define TELLS_NOTHING(call)  \
  if (begin() == 0) {        \
    *done = place;           \
  } else {                   \
    while (*done != place) { \
    }                        \
    call;                    \
    put(&two);               \
  }
  TELLS_NOTHING(MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE))
  TELLS_NOTHING(MPI_Improbe(0, 9, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE))
  if (rank == 1) MPI_Irecv(&got, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
  TELLS_NOTHING(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE))
  TELLS_NOTHING(MPI_Test(&request, &flag, MPI_STATUS_IGNORE))
  TELLS_NOTHING(MPI_Testall(1, &request, &flag, &status))
  TELLS_NOTHING(MPI_Testany(1, &request, &got, &flag, MPI_STATUS_IGNORE))
  TELLS_NOTHING(MPI_Testsome(1, &request, &flag, &got, &status))
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Send(&one, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
  if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  /* A read that has a request is complete after that; what writes too is not. */
  ++place;
  if (rank == 1) {
    MPI_Rget(&got, 1, MPI_INT, 0, place, 1, MPI_INT, win, &request);
    put(&two);
    MPI_Wait(&request, &status);
    MPI_Rget_accumulate(&one, 1, MPI_INT, &got, 1, MPI_INT, 0, ++place, 1, MPI_INT, MPI_SUM, win,
                        &request);
    MPI_Wait(&request, &status);
    put(&two);
  }
}

/* A message tells of what was complete when it was sent, whenever it is received. */
static void sent_too_early(void) {
  int got;
  MPI_Request request;
#define RECEIVE_LATE                                           \
  MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); \
  MPI_Wait(&request, MPI_STATUS_IGNORE)
#define NOT_COMPLETE(send, receive)                       \
  ++place;                                                \
  MPI_Barrier(MPI_COMM_WORLD);                            \
  if (rank == 0) {                                        \
    MPI_Put(&one, 1, MPI_INT, 0, place, 1, MPI_INT, win); \
    send;                                                 \
    MPI_Win_flush(0, win);                                \
    *done = place;                                        \
  } else {                                                \
    while (*done != place) {                              \
    }                                                     \
    receive;                                              \
    put(&two);                                            \
  }
  NOT_COMPLETE(SEND, RECEIVE_ANY)
  NOT_COMPLETE(SEND, RECEIVE_LATE)
  NOT_COMPLETE(MPI_Isend(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
               MPI_Wait(&request, MPI_STATUS_IGNORE), RECEIVE_ANY)
}

int main(int argc, char** argv) {
  int* memory;
  MPI_Aint bytes;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(cases * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &shared);
  MPI_Win_shared_query(shared, 0, &bytes, &place, &memory);
  done = memory;
  place = 0;
  if (rank == 0) *done = 0;
  MPI_Win_lock_all(0, win);
  if (strcmp(argv[1], "missed") == 0) {
    sent_too_early();
    missed();
  } else {
    snprintf(file, sizeof file, "%s", argv[2]);
    by_messages();
    by_neighbors();
    by_communicators();
    by_files();
    by_sends();
    if (rank == 1) by_reads();
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&shared);
  MPI_Win_free(&win);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
