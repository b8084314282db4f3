#include "win/statistics/thread_number.hpp"

#include <bitset>
#include <mutex>

#include "sync/process_own.hpp"
#include "sync/system.hpp"
#include "win/statistics/counters.hpp"

namespace oriel::win {

thread_local constinit unsigned thread_number = 0;

namespace {

// Of the process. Threads may end after its static objects, so these have no destructors.
struct all_numbers {
  sync::mutex changing;
  std::bitset<most_threads + 1> taken;
};
constinit sync::process_own<all_numbers> numbers;

// Gives the number back as the thread ends. The lock orders what the thread has counted before what
// the next one with the number counts.
struct number_holder {
  ~number_holder() {
    const std::lock_guard hold(numbers->changing);
    if (thread_number != surplus) numbers->taken.reset(thread_number);
    thread_number = surplus;
  }
};

}  // namespace

void number_this_thread() noexcept {
  static thread_local number_holder until_it_ends;
  static_cast<void>(until_it_ends);
  const std::lock_guard hold(numbers->changing);
  thread_number = 1;
  while (thread_number != surplus && numbers->taken.test(thread_number)) ++thread_number;
  if (thread_number != surplus) numbers->taken.set(thread_number);
}

}  // namespace oriel::win
