// The traces of a job's ranks (win/trace/event.hpp), read from their files, on one clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "win/trace/event.hpp"

namespace oriel::tools {

// Times in nanoseconds since the job's first event.
struct traced_call {
  std::int64_t began = 0, ended = 0;
  std::uint64_t window_id = 0;  // the same on all ranks
  win::trace::event about;
};

inline bool is_stream(std::uint32_t thread) noexcept {
  return thread >= win::trace::first_stream;
}
// "thread 2", "stream 1"
inline std::string name_of_thread(std::uint32_t thread) {
  return is_stream(thread) ? "stream " + std::to_string(thread - win::trace::first_stream)
                           : "thread " + std::to_string(thread);
}

struct rank_trace {
  int rank = 0, node = 0, pid = 0;
  std::string host;
  std::vector<std::string> windows;  // their names, by traced_call::about.window
  std::vector<traced_call> calls;    // in the order in which they returned, thread by thread or not
  std::uint64_t dropped = 0;         // events before those, which the ring had no room for

  [[nodiscard]] const std::string& window_of(const traced_call& c) const {
    return windows.at(std::min<std::size_t>(c.about.window, windows.size() - 1));
  }
};

struct job_trace {
  std::string job;  // the process id of its rank 0
  std::vector<rank_trace> ranks;
  // The hosts' clocks are compared by their time of day, which may differ by milliseconds.
  bool several_clocks = false;

  // Of the job whose files lie in `folder`; of several jobs the one that `job` names. Throws
  // std::runtime_error where there is none, where there are several and none is named, and for a
  // file that is no trace.
  static job_trace read(const std::filesystem::path& folder, const std::string& job = {});
};

// From a put_notify to the wait that it may have ended: places among the ranks, and their calls.
struct arrow {
  std::size_t from_rank, from_call;
  std::size_t to_rank, to_call;
};

// Each put_notify has at most one: the first wait for its counter, at its target, that ended after
// the put began. A wait has one for every notification since the wait before it.
std::vector<arrow> arrows_of(const job_trace&);

}  // namespace oriel::tools
