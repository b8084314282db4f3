#include "examples/wordcount/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "oriel/atomic_op.hpp"

namespace wordcount {

namespace {

constexpr const char* licences = "/usr/share/common-licenses";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw std::runtime_error("cannot read " + path.string() + ": " + why +
                           "; valid: a regular file that this user may read");
}

// Ranks read slices of a file whose size they know, so nothing else will do.
void require_regular(const std::filesystem::path& path, mode_t mode) {
  if (S_ISREG(mode)) return;
  refuse(path, S_ISDIR(mode)    ? "it is a directory"
               : S_ISFIFO(mode) ? "it is a pipe"
               : S_ISSOCK(mode) ? "it is a socket"
                                : "it is a device");
}

class open_file {
 public:
  // Without waiting for the writer of a pipe.
  explicit open_file(const std::filesystem::path& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (number_ < 0) refuse(path, std::strerror(errno));
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() { close(number_); }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace

text_file::text_file(const std::filesystem::path& path) {
  struct stat about {};
  // Before it is opened, which does something to some devices.
  if (stat(path.c_str(), &about) != 0) refuse(path, std::strerror(errno));
  require_regular(path, about.st_mode);
  const open_file file(path);
  if (fstat(file.number(), &about) != 0) refuse(path, std::strerror(errno));
  require_regular(path, about.st_mode);
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size == 0) {
    char first = 0;
    const ssize_t n = read(file.number(), &first, 1);
    if (n < 0) refuse(path, std::strerror(errno));
    if (n > 0) refuse(path, "its size is not known before it is read, as below /proc");
    return;
  }
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (mapped == MAP_FAILED) refuse(path, std::strerror(errno));
  text_ = {static_cast<const char*>(mapped), size};
}

text_file::text_file(text_file&& other) noexcept : text_(std::exchange(other.text_, {})) {}

text_file::~text_file() {
  if (!text_.empty()) munmap(const_cast<char*>(text_.data()), text_.size());
}

input::input(const std::vector<std::filesystem::path>& paths) {
  for (const auto& path : paths) {
    files_.emplace_back(path);
    bytes_ += files_.back().text().size();
  }
}

std::vector<part> input::share(int r, int ranks) const {
  const auto bound = [&](int i) {
    return bytes_ * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(ranks);
  };
  const std::uint64_t first = bound(r), last = bound(r + 1);
  std::vector<part> parts;
  std::uint64_t at = 0;
  for (const text_file& f : files_) {
    const std::uint64_t size = f.text().size();
    const std::uint64_t begin = std::clamp(first, at, at + size) - at;
    const std::uint64_t end = std::clamp(last, at, at + size) - at;
    if (begin < end) parts.push_back({f.text(), begin, end});
    at += size;
  }
  return parts;
}

namespace {

std::vector<std::filesystem::path> default_files() {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(licences, none))
    if (entry.is_regular_file() && !entry.is_symlink()) files.push_back(entry.path());
  if (files.empty())
    throw std::runtime_error(std::string("no files are named, and there are none in ") + licences +
                             " to count instead; valid: the names of text files");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::optional<input> open_input(const oriel::team& team, const char* program,
                                const std::vector<std::filesystem::path>& paths) {
  const int me = team.me().value;
  std::optional<input> mine;
  std::string failure;
  try {
    mine.emplace(paths.empty() ? default_files() : paths);
  } catch (const std::runtime_error& e) {
    failure = e.what();
  }
  const int lowest = team.allreduce(failure.empty() ? team.size() : me, oriel::atomic_op::min);
  if (lowest == team.size()) return mine;
  if (lowest == me) fmt::print(stderr, "{}: {}\n", program, failure);
  team.barrier().or_throw();  // a rank that ends earlier would have the launcher end that one
  return std::nullopt;
}

}  // namespace wordcount
