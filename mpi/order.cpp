#include "mpi/order.hpp"

namespace oriel::mpi {

std::atomic<sessions::vector_clock*> order_of_messages{nullptr};
std::atomic<win::watched_memory*> memory_of_windows{nullptr};

}  // namespace oriel::mpi
