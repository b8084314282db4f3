// Memory of another process by the kernel's copy, and new memory that two processes touch.
#include <sys/uio.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>

#include "bench/limits/machine.hpp"

namespace bench {
namespace {

void kernel_copy_rows(alone& all, const arguments& a) {
  for (const bool is_put : {true, false}) {
    const char* const name = is_put ? "kernel_put" : "kernel_get";
    if (!a.wants(name)) continue;
    for (const std::size_t bytes : private_sizes) {
      const page_buffer here(bytes), there(bytes);
      const shared_memory ready(sizeof(std::atomic<int>));
      auto* const touched = ready.as<std::atomic<int>>();
      const pid_t child = fork();
      if (child == 0) {
        std::memset(there.data(), 2, bytes);  // pages of its own from here on
        touched->store(1);
        pause();
        _exit(0);
      }
      while (touched->load() == 0) sched_yield();
      const iovec mine{here.data(), bytes}, theirs{there.data(), bytes};
      bool whole = true;
      const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
        for (long i = 0; i < n; ++i) {
          const ssize_t copied = is_put ? process_vm_writev(child, &mine, 1, &theirs, 1, 0)
                                        : process_vm_readv(child, &mine, 1, &theirs, 1, 0);
          whole = whole && copied == static_cast<ssize_t>(bytes);
        }
      });
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      if (whole) print_row(all, name, bytes, ns);
    }
  }
}

void touch_row(alone& all, const arguments& a) {
  if (!a.wants("shared_1g")) return;
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      const shared_memory memory(touched_bytes, /*touched=*/false);
      constexpr std::size_t half = touched_bytes / 2;
      const pid_t child = fork();
      if (child == 0) {
        pin(1);
        std::memset(memory.as<char>() + half, 1, half);
        _exit(0);
      }
      std::memset(memory.as<char>(), 1, half);
      waitpid(child, nullptr, 0);
    }
  });
  print_row(all, "shared_1g", touched_bytes, ns);
}

}  // namespace

void memory_limits(alone& all, const arguments& a) {
  kernel_copy_rows(all, a);
  touch_row(all, a);
}

}  // namespace bench
