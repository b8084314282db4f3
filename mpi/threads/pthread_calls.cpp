// What programs call of the C library where it orders threads. The order of mutexes, and of a
// thread's beginning and end, is followed; behind the other calls a thread counts as knowing of all
// that is complete by then.
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <threads.h>

#include <bit>
#include <csignal>
#include <memory>
#include <new>

#include "mpi/threads/taken_calls.hpp"

namespace oriel::mpi {
namespace {

struct new_thread {
  void* (*work)(void*);
  void* argument;
};

const void* key_of(pthread_t thread) noexcept {
  return std::bit_cast<const void*>(thread);
}

// Also where the thread ends by pthread_exit, or is cancelled.
class running_thread {
 public:
  explicit running_thread(const void* creation) noexcept {
    told_order::tell([](const thread_order& o) { o.begin(); });
    acquire(creation);
  }
  ~running_thread() {
    release(key_of(pthread_self()));
    told_order::tell([](const thread_order& o) { o.end(); });
  }
  running_thread(const running_thread&) = delete;
  running_thread& operator=(const running_thread&) = delete;
};

void* run_thread(void* of) {
  const std::unique_ptr<new_thread> t(static_cast<new_thread*>(of));
  const running_thread here(t.get());
  return t->work(t->argument);
}

}  // namespace
}  // namespace oriel::mpi

using oriel::mpi::acquire;
using oriel::mpi::is_the_programs;
using oriel::mpi::learn_everything;
using oriel::mpi::release;
using clock_type = clockid_t;

#define ORIEL_CALLER_IS_THE_PROGRAM is_the_programs(__builtin_return_address(0))

ORIEL_TAKE(int, pthread_create,
           (pthread_t * made, const pthread_attr_t* attributes, void* (*work)(void*),
            void* argument)) {
  auto* const next = ORIEL_NEXT(pthread_create);
  if (!ORIEL_CALLER_IS_THE_PROGRAM) return next(made, attributes, work, argument);
  auto* const t = new (std::nothrow) oriel::mpi::new_thread{work, argument};
  if (t == nullptr) return EAGAIN;
  release(t);
  const int failed = next(made, attributes, oriel::mpi::run_thread, t);
  if (failed != 0) delete t;
  return failed;
}
// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_JOINING(name, parameters, arguments)        \
  ORIEL_TAKE(int, name, parameters) {                     \
    const int failed = ORIEL_NEXT(name) arguments;        \
    if (failed == 0) acquire(oriel::mpi::key_of(thread)); \
    return failed;                                        \
  }
ORIEL_JOINING(pthread_join, (pthread_t thread, void** result), (thread, result))
ORIEL_JOINING(pthread_tryjoin_np, (pthread_t thread, void** result), (thread, result))
ORIEL_JOINING(pthread_timedjoin_np, (pthread_t thread, void** result, const timespec* until),
              (thread, result, until))

#define ORIEL_LOCKING(name, parameters, arguments)                                         \
  ORIEL_TAKE(int, name, parameters) {                                                      \
    const int failed = ORIEL_NEXT(name) arguments;                                         \
    if (ORIEL_CALLER_IS_THE_PROGRAM && failed != EBUSY && failed != ETIMEDOUT) acquire(m); \
    return failed;                                                                         \
  }
ORIEL_LOCKING(pthread_mutex_lock, (pthread_mutex_t * m), (m))
ORIEL_LOCKING(pthread_mutex_trylock, (pthread_mutex_t * m), (m))
ORIEL_LOCKING(pthread_mutex_timedlock, (pthread_mutex_t * m, const timespec* until), (m, until))
ORIEL_LOCKING(pthread_mutex_clocklock,
              (pthread_mutex_t * m, clock_type clock, const timespec* until), (m, clock, until))
ORIEL_TAKE(int, pthread_mutex_unlock, (pthread_mutex_t * m)) {
  if (ORIEL_CALLER_IS_THE_PROGRAM) release(m);
  return ORIEL_NEXT(pthread_mutex_unlock)(m);
}
// The mutex is left, and entered again in any case.
#define ORIEL_CONDITION(name, parameters, arguments) \
  ORIEL_TAKE(int, name, parameters) {                \
    if (ORIEL_CALLER_IS_THE_PROGRAM) release(m);     \
    const int result = ORIEL_NEXT(name) arguments;   \
    if (ORIEL_CALLER_IS_THE_PROGRAM) acquire(m);     \
    return result;                                   \
  }
ORIEL_CONDITION(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t* m), (c, m))
ORIEL_CONDITION(pthread_cond_timedwait,
                (pthread_cond_t * c, pthread_mutex_t* m, const timespec* until), (c, m, until))
ORIEL_CONDITION(pthread_cond_clockwait,
                (pthread_cond_t * c, pthread_mutex_t* m, clock_type clock, const timespec* until),
                (c, m, clock, until))

// After what may have waited for another thread.
#define ORIEL_HEARING(result, name, parameters, arguments)                                \
  ORIEL_TAKE(result, name, parameters) {                                                  \
    result const code = ORIEL_NEXT(name) arguments;                                       \
    if (oriel::mpi::is_the_programs_own(__builtin_return_address(0))) learn_everything(); \
    return code;                                                                          \
  }
#define ORIEL_HEARING_LOCK(name) ORIEL_HEARING(int, name, (void* l), (l))
#define ORIEL_HEARING_TIMED_LOCK(name) \
  ORIEL_HEARING(int, name, (void* l, const timespec* until), (l, until))
#define ORIEL_HEARING_CLOCK_LOCK(name) \
  ORIEL_HEARING(int, name, (void* l, clock_type clock, const timespec* until), (l, clock, until))
ORIEL_HEARING_LOCK(pthread_rwlock_rdlock)
ORIEL_HEARING_LOCK(pthread_rwlock_tryrdlock)
ORIEL_HEARING_TIMED_LOCK(pthread_rwlock_timedrdlock)
ORIEL_HEARING_CLOCK_LOCK(pthread_rwlock_clockrdlock)
ORIEL_HEARING_LOCK(pthread_rwlock_wrlock)
ORIEL_HEARING_LOCK(pthread_rwlock_trywrlock)
ORIEL_HEARING_TIMED_LOCK(pthread_rwlock_timedwrlock)
ORIEL_HEARING_CLOCK_LOCK(pthread_rwlock_clockwrlock)
ORIEL_HEARING_LOCK(pthread_spin_lock)
ORIEL_HEARING_LOCK(pthread_spin_trylock)
ORIEL_HEARING_LOCK(pthread_barrier_wait)
ORIEL_HEARING(int, pthread_once, (void* once, void (*work)()), (once, work))
ORIEL_HEARING_LOCK(sem_wait)
ORIEL_HEARING_LOCK(sem_trywait)
ORIEL_HEARING_TIMED_LOCK(sem_timedwait)
ORIEL_HEARING_CLOCK_LOCK(sem_clockwait)
ORIEL_HEARING_LOCK(mtx_lock)
ORIEL_HEARING_LOCK(mtx_trylock)
ORIEL_HEARING_TIMED_LOCK(mtx_timedlock)
ORIEL_HEARING(int, cnd_wait, (void* c, void* m), (c, m))
ORIEL_HEARING(int, cnd_timedwait, (void* c, void* m, const timespec* until), (c, m, until))
ORIEL_HEARING(int, call_once, (void* once, void (*work)()), (once, work))
// Of local statics. Who finds one made loads its guard, by an atomic instruction, and asks nobody.
ORIEL_HEARING(int, __cxa_guard_acquire, (void* of), (of))
ORIEL_TAKE(void, __cxa_guard_release, (void* of)) {
  release(of);
  ORIEL_NEXT(__cxa_guard_release)(of);
}
ORIEL_HEARING(ssize_t, read, (int fd, void* to, std::size_t n), (fd, to, n))
ORIEL_HEARING(ssize_t, __read_chk, (int fd, void* to, std::size_t n, std::size_t room),
              (fd, to, n, room))
ORIEL_HEARING(ssize_t, readv, (int fd, const void* parts, int n), (fd, parts, n))
ORIEL_HEARING(int, accept, (int fd, sockaddr* from, socklen_t* size), (fd, from, size))
ORIEL_HEARING(int, accept4, (int fd, sockaddr* from, socklen_t* size, int flags),
              (fd, from, size, flags))
ORIEL_HEARING(ssize_t, recv, (int fd, void* to, std::size_t n, int flags), (fd, to, n, flags))
ORIEL_HEARING(ssize_t, recvfrom,
              (int fd, void* to, std::size_t n, int flags, sockaddr* from, socklen_t* size),
              (fd, to, n, flags, from, size))
ORIEL_HEARING(ssize_t, __recv_chk, (int fd, void* to, std::size_t n, std::size_t room, int flags),
              (fd, to, n, room, flags))
ORIEL_HEARING(ssize_t, __recvfrom_chk,
              (int fd, void* to, std::size_t n, std::size_t room, int flags, sockaddr* from,
               socklen_t* size),
              (fd, to, n, room, flags, from, size))
ORIEL_HEARING(ssize_t, recvmsg, (int fd, msghdr* message, int flags), (fd, message, flags))
ORIEL_HEARING(int, poll, (void* fds, unsigned long n, int ms), (fds, n, ms))
ORIEL_HEARING(int, __poll_chk, (void* fds, unsigned long n, int ms, std::size_t room),
              (fds, n, ms, room))
ORIEL_HEARING(int, ppoll, (void* fds, unsigned long n, const timespec* at_most, const void* mask),
              (fds, n, at_most, mask))
ORIEL_HEARING(int, pselect,
              (int n, fd_set* r, fd_set* w, fd_set* e, const timespec* at_most, const void* mask),
              (n, r, w, e, at_most, mask))
ORIEL_HEARING(int, epoll_pwait, (int fd, epoll_event* events, int n, int ms, const void* mask),
              (fd, events, n, ms, mask))
ORIEL_HEARING(int, select, (int n, fd_set* r, fd_set* w, fd_set* e, timeval* at_most),
              (n, r, w, e, at_most))
ORIEL_HEARING(int, epoll_wait, (int fd, epoll_event* events, int n, int ms), (fd, events, n, ms))
ORIEL_HEARING(void*, mmap, (void* at, std::size_t n, int may, int how, int fd, off_t from),
              (at, n, may, how, fd, from))
ORIEL_HEARING(void*, mmap64, (void* at, std::size_t n, int may, int how, int fd, off_t from),
              (at, n, may, how, fd, from))
ORIEL_HEARING(int, sigwaitinfo, (const sigset_t* set, void* about), (set, about))
ORIEL_HEARING(int, sigtimedwait, (const sigset_t* set, void* about, const timespec* at_most),
              (set, about, at_most))
ORIEL_HEARING(int, sigwait, (const sigset_t* set, int* got), (set, got))
// A futex, for one.
ORIEL_HEARING(long, syscall, (long number, long a, long b, long c, long d, long e, long f),
              (number, a, b, c, d, e, f))
// NOLINTEND(bugprone-macro-parentheses)
