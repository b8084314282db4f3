// What the threads of a kernel touch of a range of memory, for tests that count how many pieces of
// memory an operation costs. Sectors have 32 bytes, the least that a device fetches, lines 128,
// what its caches keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oriel::test_driver::ptx {

// Of all threads that touched the range: each thread's different sectors and lines, added up.
struct touches {
  std::uint64_t threads = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;
  std::uint64_t most_sectors = 0;  // of one thread
  std::uint64_t most_lines = 0;
  std::uint64_t accesses = 0;      // loads, stores and updates; one of a vector counts once
  std::uint64_t instructions = 0;  // performed by these threads, all that they did
};

// One thread's. Threads: one.
class own_touches {
 public:
  void access(std::uint64_t address, std::size_t bytes);
  void step() { ++instructions_; }
  void add_to(touches&) const;

 private:
  std::vector<std::uint64_t> sectors_;  // different ones, by number
  std::uint64_t accesses_ = 0, instructions_ = 0;
};

// A range in which kernels that are launched from now on count; none where `bytes` is 0.
class touch_counter {
 public:
  static touch_counter& instance();
  void watch(std::uint64_t begin, std::uint64_t bytes);
  [[nodiscard]] bool counts() const { return bytes_ != 0; }
  [[nodiscard]] bool has(std::uint64_t address) const { return address - begin_ < bytes_; }
  void add(const own_touches& of_thread) { of_thread.add_to(all_); }
  [[nodiscard]] touches all() const { return all_; }

 private:
  std::uint64_t begin_ = 0, bytes_ = 0;
  touches all_;
};

}  // namespace oriel::test_driver::ptx

extern "C" {
// For programs that run on the test driver. Requires: no kernel is running. The counts begin at 0.
[[gnu::visibility("default")]] void oriel_test_watch(const void* begin, std::size_t bytes);
[[gnu::visibility("default")]] void oriel_test_touches(oriel::test_driver::ptx::touches* counted);
}
