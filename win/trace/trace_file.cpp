#include "win/trace/trace_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/socket_fd.hpp"
#include "session/outcome.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

std::uint64_t nanoseconds_of(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint64_t wanted_events() {
  const auto text = sessions::variable("ORIEL_TRACE_EVENTS");
  return std::bit_ceil(static_cast<std::uint64_t>(
      text ? sessions::parse_number("ORIEL_TRACE_EVENTS", *text, trace_file::fewest_events,
                                    trace_file::most_events)
           : trace_file::usual_events));
}

// With room of its own on the disk, so that no event is the first to find that there is none.
std::byte* make_file(const std::string& path, std::size_t bytes, std::string& why) {
  const sessions::socket_fd file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.valid()) {
    why = std::strerror(errno);
    return nullptr;
  }
  if (const int e = posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)); e != 0) {
    why = std::strerror(e);
    unlink(path.c_str());
    return nullptr;
  }
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) {
    why = std::strerror(errno);
    unlink(path.c_str());
    return nullptr;
  }
  return static_cast<std::byte*>(at);
}

}  // namespace

trace_file::trace_file(detail::session_state& session)
    : one_thread_(session.threads() != thread_level::multiple) {
  const std::string folder = sessions::variable("ORIEL_TRACE").value_or("");
  if (folder.empty()) return;
  sessions::job& job = session.job();
  std::uint64_t events = trace_file::usual_events;
  try {
    events = wanted_events();
  } catch (const error& e) {
    if (session.memory().is_first_to_say(1u << sessions::outputs))
      std::fprintf(stderr, "oriel: rank %d: %s; traces of its node have %d events\n", job.rank(),
                   e.what(), usual_events);
  }
  bytes_ = trace::ring_offset + events * sizeof(trace::slot);
  mkdir(folder.c_str(), 0777);  // whether it is there shows next
  const std::string path =
      folder + "/" + std::to_string(job.id()) + "." + std::to_string(job.rank()) + ".trace";
  std::string why;
  std::byte* const at = make_file(path, bytes_, why);
  if (at == nullptr) {
    session.complain(sessions::output::trace, path, why);
    return;
  }
  file_ = reinterpret_cast<trace::header*>(at);
  ring_ = reinterpret_cast<trace::slot*>(at + trace::ring_offset);
  mask_ = events - 1;
  file_->rank = job.rank();
  file_->ranks = job.size();
  file_->node = job.node_of(job.rank());
  file_->pid = getpid();
  file_->capacity = events;
  look_at_clocks(file_->first);
  look_at_clocks(file_->last);
  file_->realtime =
      static_cast<std::int64_t>(nanoseconds_of(CLOCK_REALTIME) - nanoseconds_of(CLOCK_MONOTONIC));
  gethostname(file_->host.data(), file_->host.size() - 1);
  sessions::keep_text(file_->kernel, sessions::kernel_identity());
  file_->magic = trace::header::is_trace;
}

trace_file::~trace_file() {
  if (file_ == nullptr) return;
  look_at_clocks(file_->last);
  munmap(file_, bytes_);
}

// The closest of a few looks: this thread may be put to sleep between the two clocks.
void trace_file::look_at_clocks(trace::moment& m) noexcept {
  std::uint64_t closest = ~std::uint64_t{0};
  for (int look = 0; look < 8; ++look) {
    const std::uint64_t before = trace::ticks();
    const std::uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
    const std::uint64_t took = trace::ticks() - before;
    if (took >= closest) continue;
    closest = took;
    m.ticks.store(before + took / 2, std::memory_order_relaxed);
    m.nanoseconds.store(now, std::memory_order_relaxed);
  }
}

// The calling thread is the one that may be alone, and no stream notes anything before it has got
// its number.
std::uint8_t trace_file::number_of(kinds::stream_of_device s) noexcept {
  const std::lock_guard hold(numbering_);
  one_thread_ = false;
  const auto found = std::ranges::find_if(
      streams_, [&](const auto& t) { return t.handle == s.handle && t.device == s.device; });
  const auto i = static_cast<std::size_t>(found - streams_.begin());
  if (i >= trace::most_streams) return trace::most_streams;
  if (found == streams_.end()) {
    try {
      streams_.push_back(s);
    } catch (const std::bad_alloc&) {
      return trace::most_streams;
    }
  }
  return static_cast<std::uint8_t>(i + 1);
}

std::uint32_t trace_file::add_window(const detail::window_core& core) noexcept {
  look_at_clocks(file_->last);
  const std::uint32_t i = file_->windows.fetch_add(1, std::memory_order_relaxed);
  if (i >= trace::most_names) return trace::most_names;
  file_->names[i].id = core.agreed.id;
  sessions::keep_text(file_->names[i].text, core.agreed.name);
  return i;
}

}  // namespace oriel::win
