#include "win/statistics/report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "oriel/any_window.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/socket_fd.hpp"
#include "sync/system.hpp"
#include "win/window_core.hpp"

namespace oriel {
namespace win {
namespace {

// One object of JSON, member by member.
class object {
 public:
  object& add(std::string_view key, const std::string& json) {
    text_ += text_.size() == 1 ? "" : ", ";
    text_ += '"' + std::string(key) + "\": " + json;
    return *this;
  }
  object& add(std::string_view key, std::uint64_t number) {
    return add(key, std::to_string(number));
  }
  // Where it is not 0.
  object& add_count(std::string_view key, std::uint64_t number) {
    return number == 0 ? *this : add(key, number);
  }
  object& add_object(std::string_view key, const object& other) {
    return other.text_.size() == 1 ? *this : add(key, other.text());
  }
  [[nodiscard]] std::string text() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    std::array<char, 8> code{};
    if (c == '"' || c == '\\')
      json += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) >= 0x20)
      json += c;
    else if (std::snprintf(code.data(), code.size(), "\\u%04x", c) > 0)
      json += code.data();
  }
  return json + "\"";
}

void add_to(object& line, const window_statistics& s) {
  object operations, by_size, waits;
  for (std::size_t k = 0; k < operation_kinds; ++k) {
    object kind;
    for (std::size_t r = 0; r < access_routes; ++r)
      if (const auto& t = s.operations[k][r]; t.operations != 0)
        kind.add_object(name(static_cast<access_route>(r)),
                        object().add("operations", t.operations).add("bytes", t.bytes));
    operations.add_object(name(static_cast<operation_kind>(k)), kind);
  }
  for (std::size_t c = 0; c < size_classes; ++c)
    by_size.add_count(most_bytes_of(c) == 0 ? "more" : std::to_string(most_bytes_of(c)),
                      s.by_size[c]);
  for (std::size_t c = 0; c < wait_causes; ++c)
    if (const auto& w = s.waits[c]; w.times != 0)
      waits.add_object(name(static_cast<wait_cause>(c)),
                       object()
                           .add("times", w.times)
                           .add("nanoseconds", static_cast<std::uint64_t>(w.time.count())));
  line.add_object("operations", operations)
      .add_object("by_size", by_size)
      .add_object("waits", waits)
      .add_count("packets", s.packets)
      .add_count("packed", s.packed)
      .add_count("messages", s.messages)
      .add_count("retries", s.retries)
      .add_count("agent_wakes", s.agent_wakes);
}

// The file of a session's windows.
class statistics_file {
 public:
  explicit statistics_file(detail::session_state& session)
      : session_(session), path_(sessions::variable("ORIEL_STATS").value_or("")) {
    if (path_.empty()) return;
    sessions::job& job = session.job();
    rank_ = job.rank();
    job_ = std::to_string(job.id());
  }
  ~statistics_file() {
    if (windows_ == 0) return;
    try {
      object line = head();
      line.add("windows", windows_);
      add_to(line, all_);
      append(line);
    } catch (const std::exception& e) {
      complain(e.what());
    }
  }
  statistics_file(const statistics_file&) = delete;
  statistics_file& operator=(const statistics_file&) = delete;

  void add(const detail::window_core& core) {
    if (path_.empty()) return;
    const window_statistics counted = core.counts.read(core);
    object line = head();
    line.add("window", json_text(core.agreed.name));
    line.add("rank_of_window", std::to_string(core.me()));
    line.add("ranks_of_window", std::to_string(core.ranks()));
    add_to(line, counted);
    const std::lock_guard hold(changing_);
    ++windows_;
    sum(counted);
    append(line);
  }
  void complain(const char* why) noexcept {
    session_.complain(sessions::output::statistics, path_, why);
  }

 private:
  [[nodiscard]] object head() const {
    return object().add("job", json_text(job_)).add("rank", std::to_string(rank_));
  }
  void sum(const window_statistics& one) noexcept {
    for (std::size_t k = 0; k < operation_kinds; ++k)
      for (std::size_t r = 0; r < access_routes; ++r) all_.operations[k][r] += one.operations[k][r];
    for (std::size_t c = 0; c < size_classes; ++c) all_.by_size[c] += one.by_size[c];
    for (std::size_t c = 0; c < wait_causes; ++c) {
      all_.waits[c].times += one.waits[c].times;
      all_.waits[c].time += one.waits[c].time;
    }
    all_.packets += one.packets;
    all_.packed += one.packed;
    all_.messages += one.messages;
    all_.retries += one.retries;
    all_.agent_wakes = one.agent_wakes;
  }
  // By one call, so that lines of several processes do not mix.
  void append(const object& line) {
    const std::string text = line.text() + "\n";
    const sessions::socket_fd file(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!file.valid()) return complain(std::strerror(errno));
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size()))
      complain(written < 0 ? std::strerror(errno) : "no room");
  }

  detail::session_state& session_;
  std::string path_;
  std::string job_;
  int rank_ = 0;
  sync::mutex changing_;
  window_statistics all_;
  std::uint64_t windows_ = 0;
};

}  // namespace

void report_statistics(const detail::window_core& core) noexcept {
  if (!sessions::variable("ORIEL_STATS")) return;
  try {
    auto& file = core.group->session().extension<statistics_file>();
    try {
      file.add(core);
    } catch (const std::exception& e) {
      file.complain(e.what());
    }
  } catch (const std::exception&) {
    // No memory for the report, which nobody but its reader misses.
  }
}

}  // namespace win

window_statistics any_window::statistics() const noexcept {
  return valid() ? view_.core->counts.read(*view_.core) : window_statistics{};
}

}  // namespace oriel
