#include "tools/trace/job_trace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "session/bootstrap/socket_fd.hpp"

namespace oriel::tools {
namespace {

namespace fs = std::filesystem;
using win::trace::event;
using win::trace::header;
using win::trace::slot;

[[noreturn]] void refuse(const fs::path& file, std::string_view why) {
  throw std::runtime_error(fmt::format("{}: {}", file.string(), why));
}

class mapped_file {
 public:
  explicit mapped_file(const fs::path& path) {
    const sessions::socket_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about {};
    if (!file.valid() || fstat(file.get(), &about) != 0) refuse(path, std::strerror(errno));
    bytes_ = static_cast<std::size_t>(about.st_size);
    if (bytes_ < win::trace::ring_offset) refuse(path, "is no trace: it is too short");
    at_ = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file.get(), 0);
    if (at_ == MAP_FAILED) refuse(path, std::strerror(errno));
    const header& h = head();
    if (h.magic != header::is_trace) refuse(path, "is no trace of this version of oriel's");
    if (h.capacity == 0 || h.capacity > (bytes_ - win::trace::ring_offset) / sizeof(slot))
      refuse(path, "is no whole trace");
  }
  ~mapped_file() { munmap(at_, bytes_); }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  [[nodiscard]] const header& head() const { return *static_cast<const header*>(at_); }
  [[nodiscard]] const slot& ring(std::uint64_t i) const {
    return reinterpret_cast<const slot*>(static_cast<const std::byte*>(at_) +
                                         win::trace::ring_offset)[i % head().capacity];
  }

 private:
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

template <std::size_t N>
std::string text_of(const std::array<char, N>& kept) {
  return {kept.data(), strnlen(kept.data(), N)};
}

// Ticks as nanoseconds of a kernel's clock, as one rank has compared them. The processors of a
// kernel tick together, so that all its ranks share the comparison that took the longest time.
class tick_clock {
 public:
  explicit tick_clock(const header& h)
      : ticks_(h.first.ticks.load()),
        nanoseconds_(h.first.nanoseconds.load()),
        compared_(h.last.ticks.load() - ticks_) {
    const auto ns = static_cast<double>(h.last.nanoseconds.load() - nanoseconds_);
    if (compared_ > 0 && ns > 0) rate_ = ns / static_cast<double>(compared_);
  }
  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  [[nodiscard]] std::int64_t operator()(std::uint64_t ticks) const {
    const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - ticks_));
    return static_cast<std::int64_t>(nanoseconds_) + static_cast<std::int64_t>(since * rate_);
  }

 private:
  std::uint64_t ticks_, nanoseconds_;
  std::uint64_t compared_;  // for so many ticks
  double rate_ = 1;
};

rank_trace read_rank(const mapped_file& file, const tick_clock& nanoseconds, bool by_time_of_day) {
  const header& h = file.head();
  rank_trace r;
  r.rank = h.rank;
  r.node = h.node;
  r.pid = h.pid;
  r.host = text_of(h.host);
  const std::size_t windows = std::min<std::size_t>(h.windows.load(), win::trace::most_names);
  std::vector<std::uint64_t> ids;
  for (std::size_t w = 0; w < windows; ++w) {
    r.windows.push_back(text_of(h.names[w].text));
    ids.push_back(h.names[w].id);
  }
  r.windows.emplace_back("further windows");
  ids.push_back(0);
  const std::uint64_t begun = h.begun.load();
  r.dropped = begun > h.capacity ? begun - h.capacity : 0;
  for (std::uint64_t i = r.dropped; i < begun; ++i) {
    const event e = file.ring(i).read();
    if (e.what == win::trace::call::none || static_cast<std::size_t>(e.what) >= win::trace::calls)
      continue;
    const std::int64_t shift = by_time_of_day ? h.realtime : 0;
    const std::size_t w = std::min<std::size_t>(e.window, windows);
    r.calls.push_back({nanoseconds(e.began) + shift, nanoseconds(e.ended) + shift, ids[w], e});
  }
  std::ranges::stable_sort(r.calls, {}, [](const traced_call& c) { return c.began; });
  return r;
}

// By job, in the order of ranks.
std::map<std::string, std::map<int, fs::path>> files_in(const fs::path& folder) {
  std::map<std::string, std::map<int, fs::path>> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    const std::string stem = path.stem().string();
    const auto dot = stem.find('.');
    if (path.extension() != ".trace" || dot == std::string::npos) continue;
    const char* const end = stem.data() + stem.size();
    int rank = 0;
    const auto [read, failed] = std::from_chars(stem.data() + dot + 1, end, rank);
    if (failed == std::errc{} && read == end) found[stem.substr(0, dot)][rank] = path;
  }
  return found;
}

}  // namespace

job_trace job_trace::read(const fs::path& folder, const std::string& job) {
  const auto jobs = files_in(folder);
  if (jobs.empty()) refuse(folder, "has no traces (ORIEL_TRACE names the folder they go to)");
  if (job.empty() && jobs.size() > 1) {
    std::string names;
    for (const auto& [name, files] : jobs) names += " " + name;
    refuse(folder, "has traces of several jobs; --job names one of:" + names);
  }
  const auto found = job.empty() ? jobs.begin() : jobs.find(job);
  if (found == jobs.end()) refuse(folder, "has no traces of job " + job);

  std::vector<std::unique_ptr<mapped_file>> files;
  std::map<std::string, tick_clock> clocks;  // by kernel
  for (const auto& [rank, path] : found->second) {
    files.push_back(std::make_unique<mapped_file>(path));
    const header& h = files.back()->head();
    const tick_clock its(h);
    tick_clock& best = clocks.try_emplace(text_of(h.kernel), its).first->second;
    if (its.compared() > best.compared()) best = its;
  }
  job_trace all;
  all.job = found->first;
  all.several_clocks = clocks.size() > 1;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const auto& file : files) {
    all.ranks.push_back(
        read_rank(*file, clocks.at(text_of(file->head().kernel)), all.several_clocks));
    if (!all.ranks.back().calls.empty())
      first = std::min(first, all.ranks.back().calls.front().began);
  }
  for (rank_trace& r : all.ranks)
    for (traced_call& c : r.calls) {
      c.began -= first;
      c.ended -= first;
    }
  return all;
}

std::vector<arrow> arrows_of(const job_trace& job) {
  using win::trace::call;
  struct place {
    std::size_t rank, call;
  };
  // By window, rank and counter: waits in the order of their ends.
  std::map<std::tuple<std::uint64_t, int, std::uint32_t>, std::vector<place>> waits;
  const auto at = [&job](place p) -> const traced_call& { return job.ranks[p.rank].calls[p.call]; };
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    for (std::size_t i = 0; i < job.ranks[r].calls.size(); ++i) {
      const traced_call& c = job.ranks[r].calls[i];
      if (c.about.what == call::wait_notify && c.about.failed == 0)
        waits[{c.window_id, job.ranks[r].rank, c.about.counter}].push_back({r, i});
    }
  for (auto& [of, all] : waits) std::ranges::sort(all, {}, [&](place p) { return at(p).ended; });

  std::vector<arrow> arrows;
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    for (std::size_t i = 0; i < job.ranks[r].calls.size(); ++i) {
      const traced_call& c = job.ranks[r].calls[i];
      if (c.about.what != call::put_notify || c.about.failed != 0) continue;
      const auto found = waits.find({c.window_id, c.about.peer, c.about.counter});
      if (found == waits.end()) continue;
      const auto ended = std::ranges::lower_bound(found->second, c.began, {},
                                                  [&](place p) { return at(p).ended; });
      if (ended != found->second.end()) arrows.push_back({r, i, ended->rank, ended->call});
    }
  return arrows;
}

}  // namespace oriel::tools
