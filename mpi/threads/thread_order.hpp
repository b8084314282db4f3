// ORIEL_CHECK: between the MPI face, which knows what each thread of a process may rely on, and
// liboriel-threads.so, which hears of what orders them. That library comes into programs that are
// checked alone; the face finds it by name.
#pragma once

#include <cstddef>

namespace oriel::mpi {

// Of the calling thread. A key is any address: who acquires it knows of what those did that have
// released it before.
struct thread_order {
  void (*begin)() noexcept;
  void (*end)() noexcept;
  void (*release)(const void* key) noexcept;
  void (*acquire)(const void* key) noexcept;
  void (*learn_everything)() noexcept;  // that is complete by now
  void (*take_together)() noexcept;     // all threads count as one from now on
  // The C library reads or writes for the code at `code`.
  void (*access)(const void* memory, std::size_t bytes, bool writes, const void* code) noexcept;
};

// "oriel_order_threads", of liboriel-threads.so: from now on `order` is told; with null, which
// returns when nothing calls the earlier one any more, nothing is. Returns whether it hears of all
// that the program's own code may order threads by, so that telling them apart blames nobody
// wrongly: the program was built with -fsanitize=thread.
using order_threads_function = bool (*)(const thread_order* order) noexcept;

}  // namespace oriel::mpi
