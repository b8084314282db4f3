// A stream of a test driver. Copies and fills that are begun are done no sooner than somebody waits
// for them, which is the latest that a real device might do it: a caller that does not wait sees
// old bytes. A kernel runs at once, after what was begun before it, on a thread of the stream's
// own: hosts and kernels may wait for each other. So does what the stream calls on the host, and
// what waits for a value. While a stream is captured, what is begun is put down instead of done.
// Streams that wait for each other do so for what was begun before, so none of them for ever.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/drivers/device_heap.hpp"

namespace oriel::test_driver {

class work_queue {
 public:
  struct piece {
    std::function<bool()> work;
    bool kernel = false;
  };
  using recording = std::vector<piece>;

  work_queue() = default;
  work_queue(const work_queue&) = delete;
  work_queue& operator=(const work_queue&) = delete;
  ~work_queue() {
    if (worker_.joinable()) worker_.join();
  }

  // `work` says whether it could be done.
  void begin(std::function<bool()> work) { add({std::move(work), false}); }
  void begin_kernel(std::function<bool()> work) { add({std::move(work), true}); }

  // From the first to the second, which returns it, all that is begun is put down. False, and
  // nothing, where it was so already, or was not.
  bool capture() {
    const std::lock_guard lock(mutex_);
    if (captured_) return false;
    captured_.emplace();
    return true;
  }
  std::optional<recording> end_capture() {
    const std::lock_guard lock(mutex_);
    return std::exchange(captured_, std::nullopt);
  }
  bool captures() {
    const std::lock_guard lock(mutex_);
    return captured_.has_value();
  }
  void play(const recording& all) {
    for (const piece& p : all) add(p);
  }

  enum class state { works, done, failed };
  // Of all that was begun, without a wait: copies are done now, kernels when they have ended.
  state look() {
    std::unique_lock lock(mutex_);
    if (captured_) return state::failed;
    if (busy_) return state::works;
    busy_ = true;
    while (!waiting_.empty()) do_first(lock);
    finish();
    return std::exchange(failed_, false) ? state::failed : state::done;
  }

  // How much was begun, and to wait until so much is done: by who waits, or by who works already.
  // False when something failed.
  std::uint64_t begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  bool reach(std::uint64_t place) {
    std::unique_lock lock(mutex_);
    while (done_ < place) {
      if (busy_) {
        idle_.wait(lock);
        continue;
      }
      busy_ = true;
      while (done_ < place) do_first(lock);
      finish();
      if (kernels_ != 0) work_on();
    }
    return !failed_;
  }
  bool has_reached(std::uint64_t place) {
    const std::lock_guard lock(mutex_);
    return done_ >= place;
  }

  // Does what was begun, in order, and returns when the last of it is done. False when some of it
  // failed.
  bool wait() {
    std::unique_lock lock(mutex_);
    if (captured_) return false;  // nothing of it will be done here
    idle_.wait(lock, [this] { return !busy_; });
    if (worker_.joinable()) worker_.join();  // it has done its last kernel
    busy_ = true;
    while (!waiting_.empty()) do_first(lock);
    finish();
    return !std::exchange(failed_, false);
  }

 private:
  void add(piece p) {
    const std::lock_guard lock(mutex_);
    if (captured_) return captured_->push_back(std::move(p));
    kernels_ += p.kernel ? 1 : 0;
    ++begun_;
    waiting_.push_back(std::move(p));
    if (kernels_ != 0 && !busy_) work_on();  // whoever works does this too
  }
  // On a thread of the stream's own, up to its last kernel.
  void work_on() {
    busy_ = true;
    if (worker_.joinable()) worker_.join();  // it has done its last kernel
    worker_ = std::thread([this] {
      std::unique_lock hold(mutex_);
      while (kernels_ != 0) do_first(hold);
      finish();
    });
  }
  void do_first(std::unique_lock<std::mutex>& lock) {
    const piece first = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const bool done = first.work();
    lock.lock();
    failed_ = failed_ || !done;
    kernels_ -= first.kernel ? 1 : 0;
    ++done_;
    idle_.notify_all();
  }
  void finish() {
    busy_ = false;
    idle_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<piece> waiting_;
  std::optional<recording> captured_;
  std::uint64_t begun_ = 0, done_ = 0;
  int kernels_ = 0;  // that wait or run
  bool busy_ = false, failed_ = false;
  std::thread worker_;
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
