// Which threads of this process have a place of their own at its windows' gates.
#include <atomic>

#include "atomics/gates.hpp"
#include "sync/process_own.hpp"

namespace oriel::detail {

thread_local constinit std::uint32_t gate_place_of_this_thread = 0;

namespace {

// A bit a place.
constinit sync::process_own<std::atomic<std::uint32_t>> taken_places;

// Gives its thread's place back when that ends.
class place_of_thread {
 public:
  place_of_thread() noexcept {
    std::uint32_t taken = taken_places->load(std::memory_order_relaxed);
    std::uint32_t lowest = 0;
    do {
      lowest = ~taken & (taken + 1);
      if (lowest >= std::uint32_t{1} << atomics::gates::places) return;
    } while (!taken_places->compare_exchange_weak(taken, taken | lowest));
    mine_ = lowest;
    gate_place_of_this_thread = static_cast<std::uint32_t>(__builtin_ctz(lowest)) + 1;
  }
  ~place_of_thread() {
    gate_place_of_this_thread = 0;
    taken_places->fetch_and(~mine_);
  }
  place_of_thread(const place_of_thread&) = delete;
  place_of_thread& operator=(const place_of_thread&) = delete;

 private:
  std::uint32_t mine_ = 0;
};

}  // namespace

gate_place* find_gate_place(const window_gates& gates) noexcept {
  thread_local const place_of_thread mine;
  const std::uint32_t place = gate_place_of_this_thread;
  return place == 0 || gates.all == nullptr ? nullptr : gates.places + (place - 1);
}

}  // namespace oriel::detail
