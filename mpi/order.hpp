// ORIEL_CHECK: the order that the host's messages make among accesses to windows.
#pragma once

#include <mpi.h>

#include <atomic>

#include "session/team/last_told.hpp"
#include "session/team/vector_clock.hpp"
#include "win/check/watched_memory.hpp"

namespace oriel::mpi {

// Of this process, while its windows are checked; else null.
extern std::atomic<sessions::vector_clock*> order_of_messages;
extern std::atomic<win::watched_memory*> memory_of_windows;
extern std::atomic<sessions::last_told*> told_by_messages;

// From now on the threads of this process are told apart, where it is heard of what orders them
// (threads/thread_order.hpp); and no longer. Requires: order_of_messages is set.
void order_threads();
void order_threads_no_more() noexcept;

// This process has heard of others by a call that has returned `code`: what is complete anywhere by
// now comes before what it does next. What exactly it has heard is not known, so it may be less.
// Returns `code`.
inline int heard(int code) noexcept {
  if (auto* const order = order_of_messages.load(std::memory_order_relaxed)) [[unlikely]]
    order->learn_everything();
  return code;
}

// This process is about to tell others of what it has done.
inline void about_to_tell() noexcept {
  if (auto* const told = told_by_messages.load(std::memory_order_relaxed)) [[unlikely]]
    told->tell(*order_of_messages.load(std::memory_order_relaxed));
}

// As heard(), by a message from process `source` of the communicator; or of all of its processes,
// by a collective call that returns after each one that it hears of has called about_to_tell().
int heard_from(int code, int source, MPI_Comm) noexcept;
int heard_in(int code, MPI_Comm) noexcept;
// The same of rank `r` of the job. Requires: order_of_messages is set.
void heard_of(int r) noexcept;
// The rank in the job of a process that the communicator reaches, or MPI_UNDEFINED.
int rank_in_job(int process, MPI_Comm) noexcept;

// The program's code before `code` has read or written memory. Requires: `bytes` is not 0.
inline void accessed(const void* memory, std::size_t bytes, bool writes,
                     const void* code) noexcept {
  if (auto* const watched = memory_of_windows.load(std::memory_order_relaxed)) [[unlikely]]
    watched->accessed(memory, bytes, writes, code);
}

// How many bytes an element of the type has, where it has no gaps; else 0.
MPI_Count bytes_without_gaps(MPI_Datatype) noexcept;

// As about_to_tell(), by a call that sends `n` elements: who has received them may write where they
// were read.
void read_by_send(const void* from, MPI_Count n, MPI_Datatype, const void* code) noexcept;
inline void about_to_send(const void* from, MPI_Count n, MPI_Datatype type, int to,
                          const void* code) noexcept {
  if (memory_of_windows.load(std::memory_order_relaxed) != nullptr && to != MPI_PROC_NULL)
      [[unlikely]]
    read_by_send(from, n, type, code);
  about_to_tell();
}

// A call may have completed requests.
inline void release_buffers_of_requests() noexcept {
  if (auto* const watched = memory_of_windows.load(std::memory_order_relaxed)) [[unlikely]]
    watched->release_requests();
}

// As heard(), by a call that may have completed requests, whose buffers are the program's again.
// Which requests is not known: it counts for all.
inline int after_completion(int code) noexcept {
  if (auto* const watched = memory_of_windows.load(std::memory_order_relaxed)) [[unlikely]] {
    watched->release_requests();
    heard(code);
  }
  return code;
}

}  // namespace oriel::mpi
