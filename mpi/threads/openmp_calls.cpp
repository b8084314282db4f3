// What GCC's code calls of libgomp where OpenMP orders threads: the beginning and end of parallel
// regions, barriers, critical and ordered sections, locks.
#include <chrono>
#include <thread>

#include "mpi/threads/openmp_region.hpp"

namespace oriel::mpi {
namespace {

constinit parallel_region outside;
char critical, atomic;  // sections without a name

void run_region(void* of) {
  parallel_region& r = *static_cast<parallel_region*>(of);
  told_order::tell([](const thread_order& o) { o.begin(); });
  acquire(&r.fork);
  {
    const parallel_region::inside now(r);
    r.work(r.data);
  }
  release(&r.join);
}

// Around `call(run_region, &region)`, which has a team of threads do the work.
template <class Call>
auto in_parallel(void (*work)(void*), void* data, Call call) {
  parallel_region r;
  r.work = work;
  r.data = data;
  release(&r.fork);
  class end {
   public:
    explicit end(parallel_region& region) noexcept : region_(region) {}
    ~end() {
      acquire(&region_.join);
      acquire(&region_.tasks_done);
    }

   private:
    parallel_region& region_;
  } const ended(r);
  return call(run_region, &r);
}

}  // namespace

parallel_region& parallel_region::here() noexcept {
  return here_ == nullptr ? outside : *here_;
}

}  // namespace oriel::mpi

using oriel::mpi::acquire;
using oriel::mpi::in_parallel;
using oriel::mpi::parallel_region;
using oriel::mpi::release;
using work_function = void (*)(void*);

ORIEL_TAKE(void, GOMP_parallel,
           (work_function work, void* data, unsigned threads, unsigned flags)) {
  in_parallel(work, data, [&](work_function f, void* d) {
    ORIEL_NEXT(GOMP_parallel)(f, d, threads, flags);
  });
}
ORIEL_TAKE(unsigned, GOMP_parallel_reductions,
           (work_function work, void* data, unsigned threads, unsigned flags)) {
  return in_parallel(work, data, [&](work_function f, void* d) {
    return ORIEL_NEXT(GOMP_parallel_reductions)(f, d, threads, flags);
  });
}
ORIEL_TAKE(void, GOMP_parallel_sections,
           (work_function work, void* data, unsigned threads, unsigned count, unsigned flags)) {
  in_parallel(work, data, [&](work_function f, void* d) {
    ORIEL_NEXT(GOMP_parallel_sections)(f, d, threads, count, flags);
  });
}
#define ORIEL_PARALLEL_LOOP(name)                                                              \
  ORIEL_TAKE(void, GOMP_parallel_loop_##name,                                                  \
             (work_function work, void* data, unsigned threads, long start, long end, long by, \
              long chunk, unsigned flags)) {                                                   \
    in_parallel(work, data, [&](work_function f, void* d) {                                    \
      ORIEL_NEXT(GOMP_parallel_loop_##name)(f, d, threads, start, end, by, chunk, flags);      \
    });                                                                                        \
  }
ORIEL_PARALLEL_LOOP(static)
ORIEL_PARALLEL_LOOP(dynamic)
ORIEL_PARALLEL_LOOP(guided)
ORIEL_PARALLEL_LOOP(nonmonotonic_dynamic)
ORIEL_PARALLEL_LOOP(nonmonotonic_guided)
#define ORIEL_PARALLEL_RUNTIME_LOOP(name)                                                      \
  ORIEL_TAKE(void, GOMP_parallel_loop_##name,                                                  \
             (work_function work, void* data, unsigned threads, long start, long end, long by, \
              unsigned flags)) {                                                               \
    in_parallel(work, data, [&](work_function f, void* d) {                                    \
      ORIEL_NEXT(GOMP_parallel_loop_##name)(f, d, threads, start, end, by, flags);             \
    });                                                                                        \
  }
ORIEL_PARALLEL_RUNTIME_LOOP(runtime)
ORIEL_PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime)
ORIEL_PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime)

// Where all threads of a team meet.
// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_MEETING(result, name, parameters, arguments)                    \
  ORIEL_TAKE(result, name, parameters) {                                      \
    return parallel_region::meet([&] { return ORIEL_NEXT(name) arguments; }); \
  }
// NOLINTEND(bugprone-macro-parentheses)
ORIEL_MEETING(void, GOMP_barrier, (), ())
ORIEL_MEETING(bool, GOMP_barrier_cancel, (), ())
ORIEL_MEETING(void, GOMP_loop_end, (), ())
ORIEL_MEETING(bool, GOMP_loop_end_cancel, (), ())
ORIEL_MEETING(void, GOMP_sections_end, (), ())
ORIEL_MEETING(bool, GOMP_sections_end_cancel, (), ())
ORIEL_MEETING(void, GOMP_workshare_task_reduction_unregister, (bool cancelled), (cancelled))

// One thread may do all sections of a construct, in order, before another comes, and does so on a
// busy machine. Here it leaves others some time to take the next one, so that two are by two
// threads, as they may always be.
ORIEL_TAKE(unsigned, GOMP_sections_next, ()) {
  static constexpr std::chrono::milliseconds for_others{2};
  oriel::mpi::told_order::tell(
      [](const oriel::mpi::thread_order&) { std::this_thread::sleep_for(for_others); });
  return ORIEL_NEXT(GOMP_sections_next)();
}

// `single copyprivate`: all but the one that does it wait for what it has to give.
ORIEL_TAKE(void*, GOMP_single_copy_start, ()) {
  release(&parallel_region::here().single);
  void* const given = ORIEL_NEXT(GOMP_single_copy_start)();
  if (given != nullptr) acquire(&parallel_region::here().single);
  return given;
}
ORIEL_TAKE(void, GOMP_single_copy_end, (void* given)) {
  release(&parallel_region::here().single);
  ORIEL_NEXT(GOMP_single_copy_end)(given);
  acquire(&parallel_region::here().single);
}

// One thread at a time: those that enter by `name`, and leave by another function.
// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_ENTERING(name, parameters, arguments, key) \
  ORIEL_TAKE(void, name, parameters) {                   \
    ORIEL_NEXT(name) arguments;                          \
    acquire(key);                                        \
  }
#define ORIEL_LEAVING(name, parameters, arguments, key) \
  ORIEL_TAKE(void, name, parameters) {                  \
    release(key);                                       \
    ORIEL_NEXT(name) arguments;                         \
  }
#define ORIEL_TRYING(name)                  \
  ORIEL_TAKE(int, name, (void* lock)) {     \
    const int got = ORIEL_NEXT(name)(lock); \
    if (got != 0) acquire(lock);            \
    return got;                             \
  }
// NOLINTEND(bugprone-macro-parentheses)
ORIEL_ENTERING(GOMP_critical_start, (), (), &oriel::mpi::critical)
ORIEL_LEAVING(GOMP_critical_end, (), (), &oriel::mpi::critical)
ORIEL_ENTERING(GOMP_critical_name_start, (void** name), (name), name)
ORIEL_LEAVING(GOMP_critical_name_end, (void** name), (name), name)
ORIEL_ENTERING(GOMP_atomic_start, (), (), &oriel::mpi::atomic)
ORIEL_LEAVING(GOMP_atomic_end, (), (), &oriel::mpi::atomic)
ORIEL_ENTERING(GOMP_ordered_start, (), (), &parallel_region::here().ordered)
ORIEL_LEAVING(GOMP_ordered_end, (), (), &parallel_region::here().ordered)
#define ORIEL_OPENMP_LOCK(suffix)                               \
  ORIEL_ENTERING(omp_set_lock##suffix, (void* l), (l), l)       \
  ORIEL_LEAVING(omp_unset_lock##suffix, (void* l), (l), l)      \
  ORIEL_TRYING(omp_test_lock##suffix)                           \
  ORIEL_ENTERING(omp_set_nest_lock##suffix, (void* l), (l), l)  \
  ORIEL_LEAVING(omp_unset_nest_lock##suffix, (void* l), (l), l) \
  ORIEL_TRYING(omp_test_nest_lock##suffix)
ORIEL_OPENMP_LOCK()
ORIEL_OPENMP_LOCK(_)  // of Fortran
