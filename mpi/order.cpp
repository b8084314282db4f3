#include "mpi/order.hpp"

namespace oriel::mpi {

std::atomic<sessions::vector_clock*> order_of_messages{nullptr};
std::atomic<win::watched_memory*> memory_of_windows{nullptr};

int after_completion(int code) noexcept {
  if (auto* const watched = memory_of_windows.load(std::memory_order_relaxed)) [[unlikely]]
    watched->release_requests();
  return heard(code);
}

}  // namespace oriel::mpi
