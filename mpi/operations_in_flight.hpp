// The operations that requests of MPI's wait for.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>

namespace oriel::mpi {

// One operation and the request that is complete when it is. Two hold it: this library until the
// request is complete, and the host until the user has completed or freed the request. They let go
// in either order, since a host may drop a request that the user frees before it is complete.
class pending_operation {
 public:
  pending_operation() noexcept = default;
  pending_operation(const pending_operation&) = delete;
  pending_operation& operator=(const pending_operation&) = delete;
  virtual ~pending_operation() = default;

  // True once locally complete. Makes progress; never blocks.
  virtual bool test() noexcept = 0;
  // Waits until locally complete; returns an error code of MPI.
  virtual int wait() noexcept = 0;

  // Returns what wait() has returned. Requires: the request is complete.
  [[nodiscard]] int outcome() const noexcept { return outcome_; }
  void let_go() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  friend class operations_in_flight;
  std::atomic<int> holders_{2};
  int outcome_ = MPI_SUCCESS;
  MPI_Request completes_ = MPI_REQUEST_NULL;
  pending_operation* next_ = nullptr;
};

// Any number of threads may call. Operations arrive without a lock; one thread at a time looks at
// them, and another that comes meanwhile goes on without looking. Requests are completed after the
// look: the host's lock is never taken inside it.
class operations_in_flight {
 public:
  [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
  // `completes` is a generalized request of the host's that holds `operation` as well.
  void add(pending_operation* operation, MPI_Request completes) noexcept;
  // Looks at all operations at most once, and at no more than `most_not_done` that are not done;
  // the next look goes on where this one has stopped.
  void complete_done(std::size_t most_not_done) noexcept;
  void finish() noexcept;

 private:
  // A list in order, by way of next_.
  struct queue {
    pending_operation* first = nullptr;
    pending_operation* last = nullptr;
    std::size_t size = 0;
    void push(pending_operation*) noexcept;
    pending_operation* pop() noexcept;
  };
  void take_arrivals() noexcept;
  void complete(queue& done) noexcept;

  std::atomic<std::size_t> count_{0};                 // requests that are not complete yet
  std::atomic<pending_operation*> arrived_{nullptr};  // the latest first
  std::atomic<bool> looking_{false};
  queue waiting_;  // of the thread that looks
};

// Requests are the whole process's, as MPI is.
extern operations_in_flight in_flight;

}  // namespace oriel::mpi
