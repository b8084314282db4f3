#include "tools/info/drawing.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "oriel/errc.hpp"
#include "session/node/topology.hpp"
#include "tools/info/watched_job.hpp"

namespace oriel::tools {
namespace {

constexpr unsigned patience = 30;  // seconds that lstopo has; it takes some hundredths
constexpr int no_lstopo = 127;

// A file in memory, empty or with a text in it, from whose begin it is read.
class memory_text {
 public:
  explicit memory_text(const std::string& text = "")
      : fd_(memfd_create("oriel-info", MFD_CLOEXEC)) {
    bool whole = fd_ >= 0;
    for (std::size_t at = 0; whole && at < text.size();) {
      const ssize_t n = ::write(fd_, text.data() + at, text.size() - at);
      whole = n > 0;
      if (whole) at += static_cast<std::size_t>(n);
    }
    if (!whole)
      throw error(errc::system, std::string("no memory for a drawing: ") + std::strerror(errno));
    lseek(fd_, 0, SEEK_SET);
  }
  ~memory_text() { close(fd_); }
  memory_text(const memory_text&) = delete;
  memory_text& operator=(const memory_text&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] std::string read() const {
    lseek(fd_, 0, SEEK_SET);
    std::string text;
    std::array<char, 65536> bytes;
    for (ssize_t n = 0; (n = ::read(fd_, bytes.data(), bytes.size())) > 0;)
      text.append(bytes.data(), static_cast<std::size_t>(n));
    return text;
  }

 private:
  int fd_;
};

// Empty of a process that has ended.
std::vector<int> processors_of(pid_t process) {
  std::array<cpu_set_t, 8> sets{};
  std::vector<int> found;
  if (sched_getaffinity(process, sizeof sets, sets.data()) != 0) return found;
  for (int i = 0; i < static_cast<int>(sets.size()) * CPU_SETSIZE; ++i)
    if (CPU_ISSET_S(i, sizeof sets, sets.data())) found.push_back(i);
  return found;
}

std::vector<sessions::placed_process> ranks_of(pid_t job) {
  std::vector<sessions::placed_process> ranks;
  if (job == 0) return ranks;
  for (const watched_rank& r : watched_job(job).look(steady_now()))
    if (auto processors = processors_of(r.process); !r.left && !processors.empty())
      ranks.push_back(
          {fmt::format("rank {}, process {}", r.rank, r.process), std::move(processors)});
  return ranks;
}

[[noreturn]] void become_lstopo(const std::string& legend, const char* alike,
                                const memory_text& xml, const memory_text& picture,
                                const memory_text& complaint) {
  alarm(patience);
  dup2(xml.fd(), STDIN_FILENO);
  dup2(picture.fd(), STDOUT_FILENO);
  dup2(complaint.fd(), STDERR_FILENO);
  for (const char* const program : {"lstopo-no-graphics", "lstopo"})
    execlp(program, program, "--input", "-", "--if", "xml", "--of", "svg", "--append-legend",
           legend.c_str(), alike, "-", nullptr);
  _exit(no_lstopo);
}

// What lstopo makes of the XML; `alike`: its option for objects that look alike.
std::string drawn(const std::string& xml_text, const std::string& legend, const char* alike) {
  const memory_text xml(xml_text), picture, complaint;
  const pid_t child = fork();
  if (child == 0) become_lstopo(legend, alike, xml, picture, complaint);
  int how = 0;
  while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) throw error(errc::system, "no process for lstopo can be started");
  if (WIFEXITED(how) && WEXITSTATUS(how) == no_lstopo)
    throw error(errc::system,
                "--svg needs lstopo, hwloc's program that draws, and finds none in PATH (Debian: "
                "hwloc, or hwloc-nox)");
  const std::string svg = picture.read();
  if (WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM)
    throw error(errc::system, fmt::format("lstopo had not drawn after {} s", patience));
  if (!WIFEXITED(how) || WEXITSTATUS(how) != 0 || svg.find("</svg>") == std::string::npos)
    throw error(errc::system, "lstopo draws nothing: " + complaint.read());
  return svg;
}

}  // namespace

void draw_topology(const std::string& file, pid_t job) {
  const auto ranks = ranks_of(job);
  std::string legend = "oriel: " + sessions::read_topology().summary;
  if (job != 0) legend += fmt::format("; ranks of the job of process {}: {}", job, ranks.size());
  // Of cores that are alike not all are drawn, which would hide ranks.
  const char* const alike = ranks.empty() ? "--factorize" : "--no-factorize";
  const std::string svg = drawn(sessions::topology_xml(ranks), legend, alike);
  errno = 0;
  std::ofstream out(file);
  out << svg;
  if (!out.flush()) throw error(errc::system, "cannot write " + file + ": " + std::strerror(errno));
}

}  // namespace oriel::tools
