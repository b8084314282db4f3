// A stream of a test driver. Work that is begun is done no sooner than somebody waits for it, which
// is the latest that a real device might do it: a caller that does not wait sees old bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/drivers/device_heap.hpp"

namespace oriel::test_driver {

class work_queue {
 public:
  // `work` says whether it could be done.
  void begin(std::function<bool()> work) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
  }
  // Does what was begun, in order. False when some of it failed.
  bool wait() {
    const std::lock_guard lock(mutex_);
    bool done = true;
    for (const auto& work : std::exchange(waiting_, {})) done = work() && done;
    return done;
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<bool()>> waiting_;
};

// Copies between any two places; false after a fault.
inline bool copy_bytes(void* to, const void* from, std::size_t bytes) {
  auto& heap = device_heap::instance();
  std::byte* const sink = heap.reach(to, bytes, "copy to memory");
  const std::byte* const source = heap.reach(from, bytes, "copy from memory");
  if (sink == nullptr || source == nullptr) return false;
  std::memmove(sink, source, bytes);
  return true;
}
inline bool fill_bytes(void* to, unsigned char value, std::size_t bytes) {
  std::byte* const sink = device_heap::instance().reach(to, bytes, "fill of memory");
  if (sink == nullptr) return false;
  std::memset(sink, value, bytes);
  return true;
}

}  // namespace oriel::test_driver
