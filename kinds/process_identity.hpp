// A process among all of the machine: containers have numbers of their own, and in many of them
// every program is process 1.
#pragma once

#include <cstdint>

namespace oriel::kinds {

// Plain bytes, to be sent to other processes.
struct process_identity {
  std::int32_t number = 0;        // pid
  std::uint64_t numbered_in = 0;  // the namespace of pids; 0 where /proc does not show it

  friend bool operator==(const process_identity&, const process_identity&) = default;
  friend auto operator<=>(const process_identity&, const process_identity&) = default;
};

process_identity this_process() noexcept;

}  // namespace oriel::kinds
