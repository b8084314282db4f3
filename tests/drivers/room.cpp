#include "tests/drivers/room.hpp"

#include <condition_variable>
#include <mutex>

#include "tests/drivers/switches.hpp"

namespace oriel::test_driver {
namespace {

// Outlives the destructors that still run kernels.
struct counted {
  std::mutex mutex;
  std::condition_variable given_back;
  unsigned taken = 0;
};
counted& all() {
  static auto& one = *new counted;
  return one;
}

}  // namespace

room::place room::take() {
  std::unique_lock hold(all().mutex);
  all().given_back.wait(hold, [] { return all().taken < resident_blocks(); });
  ++all().taken;
  return place(true);
}

room::place room::take_if_there() {
  const std::lock_guard hold(all().mutex);
  if (all().taken >= resident_blocks()) return {};
  ++all().taken;
  return place(true);
}

room::place::~place() {
  if (!taken_) return;
  const std::lock_guard hold(all().mutex);
  --all().taken;
  all().given_back.notify_all();
}

}  // namespace oriel::test_driver
