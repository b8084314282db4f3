#include "mpi/order.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include "mpi/threads/thread_order.hpp"

namespace oriel::mpi {

std::atomic<sessions::vector_clock*> order_of_messages{nullptr};
std::atomic<win::watched_memory*> memory_of_windows{nullptr};

namespace {

sessions::vector_clock& order() noexcept {
  return *order_of_messages.load(std::memory_order_relaxed);
}

// Another thread may have this one's stack next.
void forget_stack() noexcept {
  auto* const watched = memory_of_windows.load(std::memory_order_relaxed);
  pthread_attr_t about;
  if (watched == nullptr || !watched->has_released() ||
      pthread_getattr_np(pthread_self(), &about) != 0)
    return;
  void* first = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&about, &first, &bytes);
  pthread_attr_destroy(&about);
  const auto low = reinterpret_cast<std::uintptr_t>(first);
  watched->freed(low, low + bytes);
}

constexpr thread_order told{
    .begin = []() noexcept { order().begin_thread(); },
    .end =
        []() noexcept {
          forget_stack();
          order().end_thread();
        },
    .release = [](const void* key) noexcept { order().release(key); },
    .acquire = [](const void* key) noexcept { order().acquire(key); },
    .learn_everything = []() noexcept { order().learn_everything(); },
    .take_together = []() noexcept { order().take_threads_together(); },
    .access = accessed,
};

order_threads_function hearing_library() noexcept {
  return reinterpret_cast<order_threads_function>(dlsym(RTLD_DEFAULT, "oriel_order_threads"));
}

}  // namespace

void order_threads() {
  const auto order_by = hearing_library();
  if (order_by == nullptr) return;
  order().tell_threads_apart();
  if (!order_by(&told)) order().take_threads_together();
}

void order_threads_no_more() noexcept {
  if (const auto order_by = hearing_library()) order_by(nullptr);
}

}  // namespace oriel::mpi
