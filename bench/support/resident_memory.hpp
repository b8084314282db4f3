// How much memory this process has in use, and had at most: by the kernel's own count, not by what
// anybody thinks that it took.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace oriel::bench {

// A line of /proc/self/status, in bytes: VmRSS, VmHWM, RssAnon. 0 where there is none.
inline std::size_t status_bytes(const std::string& line) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::size_t kilobytes = 0; word == line + ":" && status >> kilobytes)
      return kilobytes * 1024;
  return 0;
}

// How far resident memory has grown above what it was, at its highest.
class memory_growth {
 public:
  memory_growth() {
    std::ofstream("/proc/self/clear_refs") << "5";  // the highest begins anew
    before_ = status_bytes("VmRSS");
    highest_before_ = status_bytes("VmHWM");
  }
  [[nodiscard]] std::size_t at_most() const {
    const std::size_t highest = status_bytes("VmHWM");
    // Where the kernel does not begin anew, and less than before has been in use since.
    const std::size_t now = highest == highest_before_ ? status_bytes("VmRSS") : highest;
    return now > before_ ? now - before_ : 0;
  }

 private:
  std::size_t before_ = 0;
  std::size_t highest_before_ = 0;
};

}  // namespace oriel::bench
