// What GCC's code calls of libgomp where OpenMP's tasks order threads. A task counts as ordered
// behind all tasks' creations in its region before it began; and where a thread waits for some
// tasks, it waits for all that have ended by then.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "mpi/threads/openmp_region.hpp"

namespace oriel::mpi {
namespace {

constexpr unsigned has_dependences = 1u << 3, is_detached = 1u << 13;  // GOMP_TASK_FLAG_

// One task, with what it has of its own of the creator's variables; behind it in its memory.
struct task {
  void (*work)(void*);
  parallel_region* region;
  bool dependent;
  void* data;
};

void run_task(void* of) {
  task* const t = *static_cast<task**>(of);
  told_order::tell([](const thread_order& o) { o.begin(); });
  acquire(&t->region->tasks_created);
  if (t->dependent) acquire(&t->region->tasks_done);
  {
    const parallel_region::inside now(*t->region);
    t->work(t->data);
  }
  release(&t->region->tasks_done);
  std::free(t);
}

// As libgomp copies what a task has of its own.
task* copy_of(void (*work)(void*), void* data, void (*copy)(void*, void*), long bytes, long align,
              unsigned flags) noexcept {
  const auto room = static_cast<std::size_t>(bytes) + static_cast<std::size_t>(align);
  void* const memory = std::malloc(sizeof(task) + room);
  if (memory == nullptr) return nullptr;
  const auto mask = static_cast<std::uintptr_t>(align > 1 ? align - 1 : 0);
  auto* const mine = static_cast<std::byte*>(memory) + sizeof(task);
  void* const own = mine + (-reinterpret_cast<std::uintptr_t>(mine) & mask);
  if (copy != nullptr)
    copy(own, data);
  else if (bytes != 0)
    std::memcpy(own, data, static_cast<std::size_t>(bytes));
  return new (memory) task{work, &parallel_region::here(), (flags & has_dependences) != 0, own};
}

}  // namespace
}  // namespace oriel::mpi

using oriel::mpi::acquire;
using oriel::mpi::parallel_region;
using oriel::mpi::release;
using oriel::mpi::take_threads_together;
using work_function = void (*)(void*);
using copy_function = void (*)(void*, void*);

ORIEL_TAKE(void, GOMP_task,
           (work_function work, void* data, copy_function copy, long bytes, long align,
            bool deferred, unsigned flags, void** depend, int priority, void* detach)) {
  auto* const next = ORIEL_NEXT(GOMP_task);
  oriel::mpi::task* mine = nullptr;
  // Whose end is an event, that another thread fulfils at some time.
  if ((flags & oriel::mpi::is_detached) != 0)
    take_threads_together();
  else
    mine = oriel::mpi::copy_of(work, data, copy, bytes, align, flags);
  if (mine == nullptr) {
    take_threads_together();
    return next(work, data, copy, bytes, align, deferred, flags, depend, priority, detach);
  }
  release(&parallel_region::here().tasks_created);
  next(oriel::mpi::run_task, &mine, nullptr, sizeof(void*), alignof(void*), deferred, flags, depend,
       priority, detach);
}

// NOLINTBEGIN(bugprone-macro-parentheses): parts of declarations
#define ORIEL_WAITING(name, parameters, arguments) \
  ORIEL_TAKE(void, name, parameters) {             \
    ORIEL_NEXT(name) arguments;                    \
    acquire(&parallel_region::here().tasks_done);  \
  }
ORIEL_WAITING(GOMP_taskwait, (), ())
ORIEL_WAITING(GOMP_taskwait_depend, (void** depend), (depend))
ORIEL_WAITING(GOMP_taskgroup_end, (), ())

// What is not followed: loops of tasks, loops whose iterations wait for each other, work for
// devices, and the calls of compilers before GCC 4.9.
#define ORIEL_NOT_FOLLOWED(name, parameters, arguments) \
  ORIEL_TAKE(void, name, parameters) {                  \
    take_threads_together();                            \
    ORIEL_NEXT(name) arguments;                         \
  }
#define ORIEL_TASK_LOOP(name, number)                                                              \
  ORIEL_NOT_FOLLOWED(                                                                              \
      name,                                                                                        \
      (work_function work, void* data, copy_function copy, long bytes, long align, unsigned flags, \
       unsigned long tasks, int priority, number start, number end, number by),                    \
      (work, data, copy, bytes, align, flags, tasks, priority, start, end, by))
// NOLINTEND(bugprone-macro-parentheses)
ORIEL_TASK_LOOP(GOMP_taskloop, long)
ORIEL_TASK_LOOP(GOMP_taskloop_ull, unsigned long long)
ORIEL_NOT_FOLLOWED(GOMP_doacross_post, (long* counts), (counts))
ORIEL_NOT_FOLLOWED(GOMP_doacross_ull_post, (unsigned long long* counts), (counts))
ORIEL_NOT_FOLLOWED(GOMP_target_ext,
                   (int device, work_function work, std::size_t n, void** addresses,
                    std::size_t* sizes, unsigned short* kinds, unsigned flags, void** depend,
                    void** arguments),
                   (device, work, n, addresses, sizes, kinds, flags, depend, arguments))
ORIEL_NOT_FOLLOWED(GOMP_parallel_start, (work_function work, void* data, unsigned threads),
                   (work, data, threads))
