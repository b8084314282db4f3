// What this process holds between shmem_init and shmem_finalize. OpenSHMEM is a state of the whole
// process, so this is too.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "oriel/session.hpp"
#include "shmem/ending.hpp"
#include "shmem/heap_space.hpp"
#include "shmem/symmetric_memory.hpp"

namespace oriel::shmem {

class process {
 public:
  // Null before shmem_init and after shmem_finalize.
  [[nodiscard]] static process* get() noexcept;
  // For calls that need it: without it `call` is named and the process ends.
  [[nodiscard]] static process& here(const char* call) noexcept;
  // Collective. Ends the job where the library cannot be used. `threads`: of shmem_init_thread.
  static void open(int threads) noexcept;
  static void close() noexcept;

  process(const process&) = delete;
  process& operator=(const process&) = delete;
  ~process();

  session job;
  team world;
  const int threads;  // SHMEM_THREAD_SINGLE, …
  const int me;
  const int pes;
  const bool checks;  // ORIEL_CHECK: what PEs give to collective calls is compared
  symmetric_memory memory;
  heap_space space;

  // Ends the job where `pe` is not one of `of`; `call` is what needs it.
  void require_pe(const char* call, int pe) const noexcept;
  // Complete at the targets: every operation of this process.
  void quiet() noexcept;
  // For waits: whoever is to write what this thread waits for may wait for what is put off here.
  // Not where other threads may begin operations meanwhile, so that it might never end.
  void quiet_alone() noexcept {
    if (threads != SHMEM_THREAD_MULTIPLE) quiet();
  }
  // Blocks until every PE has called it.
  void barrier() noexcept;
  // What this PE does from now on comes behind what others did: it has waited for them. For
  // ORIEL_CHECK, which else compares the one with the other.
  void note_order() noexcept {
    if (checks) memory.note_order();
  }
  // The same of a wait for one variable, whose writer may have seen what this PE has put before:
  // ORIEL_CHECK compares none of that with what follows.
  void note_answer() noexcept {
    if (checks) {
      quiet_alone();
      memory.note_order();
    }
  }
  // quiet and barrier.
  void barrier_all() noexcept {
    quiet();
    barrier();
  }
  // Writes to the words of the other PEs that still run.
  void announce_end(int status) noexcept;

 private:
  process(const session_options&, int threads);
  static process* make(int threads);
  std::unique_ptr<ending_watch> watch_;
};

}  // namespace oriel::shmem
