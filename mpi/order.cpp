#include "mpi/order.hpp"

#include <dlfcn.h>

#include "mpi/threads/thread_order.hpp"

namespace oriel::mpi {

std::atomic<sessions::vector_clock*> order_of_messages{nullptr};
std::atomic<win::watched_memory*> memory_of_windows{nullptr};

namespace {

sessions::vector_clock& order() noexcept {
  return *order_of_messages.load(std::memory_order_relaxed);
}

constexpr thread_order told{
    .begin = []() noexcept { order().begin_thread(); },
    .end = []() noexcept { order().end_thread(); },
    .release = [](const void* key) noexcept { order().release(key); },
    .acquire = [](const void* key) noexcept { order().acquire(key); },
    .learn_everything = []() noexcept { order().learn_everything(); },
    .take_together = []() noexcept { order().take_threads_together(); },
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
