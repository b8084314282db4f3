/* What own_threads.sh starts, built with -fsanitize=thread -fopenmp: threads of rank 0 use a window
 * and buffers of operations; own_threads wrong|right|unknown. The program goes on after errors. */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { elements = 4096 };
static MPI_Win win;
static int *mine, rank, outside, done;
static _Thread_local int seen;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static omp_lock_t lock;

/* One element of rank 1's, to `to`. */
static void get(int* to, int from) {
  MPI_Get(to, 1, MPI_INT, 1, from, 1, MPI_INT, win); /* line 22 */
  MPI_Win_flush(1, win);
}
static void put(const int* value, int to) {
  MPI_Put(value, 1, MPI_INT, 1, to, 1, MPI_INT, win); /* line 26 */
  MPI_Win_flush(1, win);
}
static void use(int value) {
  seen += value;
}
/* One thread's access comes before another's, by what the sanitizer is not told of. */
static volatile int turn;
__attribute__((no_sanitize_thread)) static void first_is_done(void) {
  turn = 1;
}
__attribute__((no_sanitize_thread)) static void come_second(void) {
  while (turn == 0) sched_yield();
  turn = 0;
}

static void* reader(void* at) {
  come_second();
  use(*(int*)at); /* line 44 */
  return NULL;
}

static void by_nested_regions(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 40; ++i) {
    int* const own = &mine[100 * (1 + omp_get_thread_num())];
    get(&own[0], 0);
#pragma omp parallel num_threads(2)
    {
      int local = 0; /* on stacks that threads leave to others */
      use(own[0]);
      get(&own[1 + omp_get_thread_num()], 0);
      get(&local, 0);
      use(local);
    }
    use(own[1] + own[2]);
  }
}

/* Each region has one race; the regions are ordered. Threads have come and gone before. */
static void wrong(void) {
  int flag = 0;
  pthread_t other;
  by_nested_regions();
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    get(&mine[0], 0);
    first_is_done();
  } else {
    come_second();
    use(mine[0]); /* line 77 */
  }
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      mine[1] = 2; /* line 82 */
      first_is_done();
    } else {
      come_second();
      get(&mine[1], 0); /* of line 82 */
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      put(&rank, 2);
      first_is_done();
    } else {
      come_second();
      put(&outside, 2); /* of the same line */
    }
  }
  /* The lock is taken after what the other thread does, but orders nothing before it. */
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp critical(here)
    use(1);
    get(&mine[3], 0);
    first_is_done();
  } else {
    come_second();
#pragma omp critical(here)
    use(1);
    mine[3] = 1; /* line 108 */
  }
  /* A buffer that is in no window. */
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    get(&outside, 0);
    first_is_done();
  } else {
    come_second();
    use(outside); /* line 117 */
  }
  /* What is told by the flag is that the task has begun. */
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
#pragma omp atomic write
      flag = 1;
      get(&mine[4], 0);
      first_is_done();
    }
    for (int begun = 0; !begun;) {
#pragma omp atomic read
      begun = flag;
    }
    come_second();
    use(mine[4]); /* line 135 */
  }
  /* Sections are by two threads now and then, even where one could do both. */
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 8; ++i) {
#pragma omp sections
    {
#pragma omp section
      {
        get(&mine[6], 0);
        first_is_done();
      }
#pragma omp section
      {
        come_second();
        use(mine[6]); /* line 150 */
      }
    }
  }
  pthread_create(&other, NULL, reader, &mine[5]);
  get(&mine[5], 0); /* of line 44 */
  first_is_done();
  pthread_join(other, NULL);
}

static void* writer(void* at) {
  pthread_mutex_lock(&mutex);
  get(at, 0);
  done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void by_barriers(void) {
#pragma omp parallel num_threads(3)
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp single
      get(&mine[10], 0);
      use(mine[10]);
#pragma omp barrier
#pragma omp for
      for (int k = 0; k < 30; ++k) get(&mine[20 + k], k);
#pragma omp for schedule(dynamic)
      for (int k = 0; k < 30; ++k) use(mine[49 - k]);
      int given;
#pragma omp single copyprivate(given)
      {
        get(&mine[11], 0);
        get(&given, 0);
      }
      use(mine[11] + given);
#pragma omp barrier
#pragma omp sections
      {
#pragma omp section
        get(&mine[12], 0);
#pragma omp section
        get(&mine[13], 0);
      }
      use(mine[12] + mine[13]);
#pragma omp barrier
    }
  }
}

static void by_regions(void) {
  for (int i = 0; i < 20; ++i) {
    get(&mine[10], 0);
#pragma omp parallel num_threads(3)
    {
      use(mine[10]);
#pragma omp single nowait
#pragma omp task
      get(&mine[11], 0);
#pragma omp barrier
      use(mine[11]);
      get(&mine[12 + omp_get_thread_num()], 0);
    }
    use(mine[12] + mine[13] + mine[14]);
  }
}

static void by_locks(void) {
  static int flag, ready;
#pragma omp parallel num_threads(3)
  {
#pragma omp for ordered
    for (int k = 0; k < 30; ++k) {
#pragma omp ordered
      get(&mine[10], 0);
    }
    for (int k = 0; k < 10; ++k) {
#pragma omp critical
      get(&mine[11], 0);
#pragma omp critical(here)
      put(&mine[12], 12);
      omp_set_lock(&lock);
      get(&mine[13], 0);
      omp_unset_lock(&lock);
      pthread_mutex_lock(&mutex);
      mine[14] = k;
      put(&mine[14], 14);
      pthread_mutex_unlock(&mutex);
    }
#pragma omp barrier
    /* By an atomic object, and by a flush. */
    if (omp_get_thread_num() == 0) {
      get(&mine[15], 0);
#pragma omp atomic write release
      flag = 1;
    } else if (omp_get_thread_num() == 1) {
      for (int set = 0; !set;) {
#pragma omp atomic read acquire
        set = flag;
      }
      use(mine[15]);
      get(&mine[16], 0);
#pragma omp flush
      __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
    } else {
      while (!__atomic_load_n(&ready, __ATOMIC_RELAXED)) {
      }
#pragma omp flush
      use(mine[16]);
    }
  }
}

static void by_tasks(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 20; ++i) {
    const int kept = 10 + i;
    mine[kept] = i;
    for (int k = 0; k < 8; ++k) {
#pragma omp task firstprivate(k) if (k != 3)
      get(&mine[40 + k], k);
    }
#pragma omp task firstprivate(kept)
    put(&mine[kept], kept);
#pragma omp taskwait
    for (int k = 0; k < 8; ++k) use(mine[40 + k]);
#pragma omp taskgroup
    {
#pragma omp task depend(out : mine[50])
      get(&mine[50], 0);
#pragma omp task depend(in : mine[50])
      use(mine[50]);
    }
    use(mine[50]);
  }
}

/* Memory that is freed by one thread may be given to another. */
static void on_the_heap(void) {
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 200; ++i) {
    int* const some = malloc(64 * sizeof(int));
    some[1] = i;
    get(&some[i % 64], 0);
    use(some[i % 64]);
    free(some);
    int* others;
    MPI_Alloc_mem(64 * sizeof(int), MPI_INFO_NULL, &others);
    others[1] = i;
    get(&others[i % 64], 0);
    use(others[i % 64]);
    MPI_Free_mem(others);
  }
}

/* A thread's flush completes what it has begun, whoever else flushes. */
static void by_flushes(void) {
#pragma omp parallel num_threads(3)
  {
    int* const own = &mine[500 + 100 * omp_get_thread_num()];
    for (int i = 0; i < 100; ++i) {
      MPI_Get(&own[i], 1, MPI_INT, 1, i, 1, MPI_INT, win);
      MPI_Win_flush_local(1, win);
      use(own[i]);
      own[i] = 0;
    }
  }
}

static void by_pthreads(void) {
  pthread_t other;
  mine[10] = 1;
  pthread_create(&other, NULL, writer, &mine[10]);
  pthread_mutex_lock(&mutex);
  while (!done) pthread_cond_wait(&changed, &mutex);
  use(mine[10]);
  pthread_mutex_unlock(&mutex);
  pthread_join(other, NULL);
  for (int i = 0; i < 100; ++i) {
    pthread_create(&other, NULL, writer, &mine[11]);
    pthread_join(other, NULL);
    use(mine[11]);
  }
}

/* After a loop of tasks, whose order is not followed, threads count as one. */
static void unknown(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single
#pragma omp taskloop
    for (int k = 0; k < 30; ++k) get(&mine[20 + k], k);
    if (omp_get_thread_num() == 0) {
      get(&mine[0], 0);
      first_is_done();
    } else {
      come_second();
      use(mine[0]);
    }
  }
}

static void* putter(void* value) {
  MPI_Put(value, 1, MPI_INT, 1, 7, 1, MPI_INT, win); /* line 356 */
  MPI_Win_flush(1, win);
  return NULL;
}

/* The first is over when the second begins, and nothing orders them. */
static void one_after_the_other(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, putter, &rank);
  usleep(50000);
  pthread_create(&second, NULL, putter, &rank);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(elements * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  omp_init_lock(&lock);
  memset(mine, 0, elements * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0 && strcmp(argv[1], "wrong") == 0) one_after_the_other();
  if (rank == 0 && strcmp(argv[1], "wrong") == 0) wrong();
  if (rank == 0 && strcmp(argv[1], "unknown") == 0) unknown();
  if (rank == 0 && strcmp(argv[1], "right") == 0) {
    by_regions();
    by_barriers();
    by_locks();
    by_tasks();
    by_nested_regions();
    on_the_heap();
    by_flushes();
    by_pthreads();
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
