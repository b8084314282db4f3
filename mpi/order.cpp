#include "mpi/order.hpp"

namespace oriel::mpi {

std::atomic<sessions::vector_clock*> order_of_messages{nullptr};

}  // namespace oriel::mpi
