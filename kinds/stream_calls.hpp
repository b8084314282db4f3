// What a program's own streams take from the host in their order: copies, calls of the host, waits
// for a word of memory. Oriel makes none of these streams, waits for none and destroys none.
//
// Any thread, with any context current. Nothing here blocks, but the two that handle words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oriel/errc.hpp"

namespace oriel::kinds {

// A stream of the vendor's, and the device that it is a stream of. A null handle is the default
// stream of that device.
struct stream_of_device {
  void* handle = nullptr;
  int device = 0;
};

class stream_calls {
 public:
  virtual ~stream_calls() = default;

  // Why streams of `device` cannot have what is below; empty where they can.
  [[nodiscard]] virtual std::string lacks(int device) const = 0;

  // Returns `n` words of 0 that streams of the device may wait for and threads of the host may
  // store to. Throws no_mem.
  virtual std::vector<std::uint64_t*> make_words(int device, std::size_t n) = 0;
  // All that one make_words has returned. Requires: no stream waits for them.
  virtual void free_words(int device, std::span<std::uint64_t* const>) noexcept = 0;

  // Swaps `mode` with that of the calling thread: what it may do while some stream is captured.
  static constexpr int relaxed = 2;  // allocate too, in CUDA and HIP alike
  virtual void exchange_capture_mode(int& mode) noexcept = 0;

  // Each is done when the stream has done all that it held before, and before all that it gets
  // later. What is given to them is in use until then. Return system where the vendor refuses.
  virtual errc copy(stream_of_device, void* to, const void* from, std::size_t bytes) noexcept = 0;
  // The function must neither block nor call the vendor.
  virtual errc call(stream_of_device, void (*function)(void*), void* argument) noexcept = 0;
  // The stream goes on once the word, of make_words, is at least `value`.
  virtual errc wait(stream_of_device, std::uint64_t* word, std::uint64_t value) noexcept = 0;
  // Whether what the stream is given now becomes a graph, which may be launched any number of
  // times.
  virtual errc is_captured(stream_of_device, bool& captured) noexcept = 0;
};

// While it lives, the calling thread may allocate although a stream is captured.
class allocating_in_captures {
 public:
  explicit allocating_in_captures(stream_calls& of) noexcept : of_(of) {
    of_.exchange_capture_mode(mode_);
  }
  ~allocating_in_captures() { of_.exchange_capture_mode(mode_); }
  allocating_in_captures(const allocating_in_captures&) = delete;
  allocating_in_captures& operator=(const allocating_in_captures&) = delete;

 private:
  stream_calls& of_;
  int mode_ = stream_calls::relaxed;
};

}  // namespace oriel::kinds
