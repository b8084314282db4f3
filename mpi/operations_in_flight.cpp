#include "mpi/operations_in_flight.hpp"

#include <utility>

#include "sync/wait.hpp"

namespace oriel::mpi {
constinit operations_in_flight in_flight;

void operations_in_flight::queue::push(pending_operation* one) noexcept {
  one->next_ = nullptr;
  if (last == nullptr)
    first = one;
  else
    last->next_ = one;
  last = one;
  ++size;
}

pending_operation* operations_in_flight::queue::pop() noexcept {
  pending_operation* const one = first;
  first = one->next_;
  if (first == nullptr) last = nullptr;
  --size;
  return one;
}

void operations_in_flight::add(pending_operation* operation, MPI_Request completes) noexcept {
  operation->completes_ = completes;
  count_.fetch_add(1, std::memory_order_relaxed);
  operation->next_ = arrived_.load(std::memory_order_relaxed);
  while (!arrived_.compare_exchange_weak(operation->next_, operation, std::memory_order_release,
                                         std::memory_order_relaxed)) {
  }
}

void operations_in_flight::take_arrivals() noexcept {
  if (arrived_.load(std::memory_order_relaxed) == nullptr) return;
  pending_operation* latest = arrived_.exchange(nullptr, std::memory_order_acquire);
  pending_operation* earliest = nullptr;
  while (latest != nullptr) {
    pending_operation* const before = std::exchange(latest->next_, earliest);
    earliest = latest;
    latest = before;
  }
  while (earliest != nullptr) waiting_.push(std::exchange(earliest, earliest->next_));
}

void operations_in_flight::complete_done(std::size_t most_not_done) noexcept {
  if (looking_.load(std::memory_order_relaxed) ||
      looking_.exchange(true, std::memory_order_acquire))
    return;
  take_arrivals();
  queue done;
  std::size_t not_done = 0;
  for (std::size_t left = waiting_.size; left != 0 && not_done < most_not_done; --left) {
    pending_operation* const one = waiting_.pop();
    if (one->test()) {
      done.push(one);
    } else {
      waiting_.push(one);
      ++not_done;
    }
  }
  looking_.store(false, std::memory_order_release);
  complete(done);
}

void operations_in_flight::finish() noexcept {
  while (looking_.exchange(true, std::memory_order_acquire)) sync::wait_ladder::yield();
  take_arrivals();
  queue all = std::exchange(waiting_, {});
  looking_.store(false, std::memory_order_release);
  complete(all);
}

void operations_in_flight::complete(queue& done) noexcept {
  while (done.first != nullptr) {
    pending_operation* const one = done.pop();
    one->outcome_ = one->wait();
    PMPI_Grequest_complete(one->completes_);
    // The last store that others see: a thread that finds nothing pending waits in the host.
    count_.fetch_sub(1, std::memory_order_relaxed);
    one->let_go();
  }
}

}  // namespace oriel::mpi
