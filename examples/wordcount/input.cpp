#include "examples/wordcount/input.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace wordcount {

text_file::text_file(const std::filesystem::path& path) {
  const auto fail = [&path] {
    throw std::runtime_error("cannot read " + path.string() + ": " + std::strerror(errno));
  };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail();
  struct stat about {};
  const bool known = fstat(fd, &about) == 0;
  const auto size = static_cast<std::size_t>(about.st_size);
  void* const mapped =
      known && size != 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0) : nullptr;
  close(fd);
  if (!known || mapped == MAP_FAILED) fail();
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

std::vector<std::filesystem::path> default_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/share/common-licenses"))
    if (entry.is_regular_file() && !entry.is_symlink()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace wordcount
