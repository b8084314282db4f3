// How a job ends before its time: by shmem_global_exit, or since a call cannot be carried out. One
// PE writes to a word of each other; a thread of theirs, which sleeps on it else, ends the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace oriel::shmem {

// Of each PE, in memory that the others reach. All zero at first.
struct ending_word {
  static constexpr std::uint32_t watched_no_more = ~0u;
  static constexpr std::uint32_t with(int status) noexcept {
    return 1u + (static_cast<std::uint32_t>(status) & 0xffu);
  }
  std::atomic<std::uint32_t> value;
};

// For as long as it lives, this process ends with the status that is written to the word.
class ending_watch {
 public:
  // `from_afar`: other nodes write to it too, which wakes nobody.
  ending_watch(ending_word& word, bool from_afar);
  ~ending_watch();
  ending_watch(const ending_watch&) = delete;
  ending_watch& operator=(const ending_watch&) = delete;

 private:
  ending_word& word_;
  std::thread thread_;
};

// Ends all processes of the job with `status`; this one as exit(status) does.
[[noreturn]] void end_job(int status) noexcept;
// The same with status 1, behind the sentence on standard error, which begins with this PE; without
// what exit() calls, since this thread is one of several.
[[noreturn]] void fail(const std::string& what) noexcept;
// Whether this process has called one of the two.
[[nodiscard]] bool is_ending() noexcept;

}  // namespace oriel::shmem
