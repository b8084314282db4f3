#include "session/node/address_map.hpp"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace oriel::sessions {
namespace {

// The words of one line, from left to right.
class line_reader {
 public:
  explicit line_reader(const char* at) noexcept : at_(at) {}

  std::uint64_t number(unsigned base, char ends) noexcept {
    std::uint64_t value = 0;
    for (; *at_ != ends && *at_ != '\0'; ++at_) value = value * base + digit(*at_);
    if (*at_ == ends) ++at_;
    return value;
  }
  const char* letters(std::size_t n) noexcept {
    const char* const found = at_;
    for (std::size_t i = 0; i <= n && *at_ != '\0'; ++i) ++at_;
    return found;
  }
  const char* rest() noexcept {
    while (*at_ == ' ') ++at_;
    return at_;
  }

 private:
  static unsigned digit(char c) noexcept {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  const char* at_;
};

// "begin-end rwxp offset major:minor inode   path", as proc(5) has it.
mapping parse(const char* line) noexcept {
  line_reader words(line);
  mapping m;
  m.begin = words.number(16, '-');
  m.end = words.number(16, ' ');
  const char* const allowed = words.letters(4);
  m.readable = allowed[0] == 'r';
  m.writable = allowed[1] == 'w';
  m.shared = allowed[3] == 's';
  m.file_offset = words.number(16, ' ');
  const auto major = static_cast<unsigned>(words.number(16, ':'));
  m.device = makedev(major, static_cast<unsigned>(words.number(16, ' ')));
  m.inode = words.number(10, ' ');
  const char* const name = words.rest();
  m.heap = std::strcmp(name, "[heap]") == 0;
  m.stack = std::strcmp(name, "[stack]") == 0;
  return m;
}

}  // namespace

bool for_each_mapping(std::uint64_t begin, std::uint64_t end, mapping_visitor each, void* with) {
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  // A line is a path's length and some more; of a longer one the path's end is lost.
  std::array<char, 8192> text;
  std::size_t kept = 0;
  bool more = true;
  while (more) {
    const ssize_t n = read(fd, text.data() + kept, text.size() - 1 - kept);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    const std::size_t have = kept + static_cast<std::size_t>(n);
    std::size_t from = 0;
    while (more) {
      auto* const stop = static_cast<char*>(std::memchr(text.data() + from, '\n', have - from));
      if (stop == nullptr) break;
      *stop = '\0';
      const mapping m = parse(text.data() + from);
      from = static_cast<std::size_t>(stop - text.data()) + 1;
      if (m.end <= begin) continue;
      more = m.begin < end && each(m, with);
    }
    kept = have - from;
    std::memmove(text.data(), text.data() + from, kept);
  }
  close(fd);
  return true;
}

}  // namespace oriel::sessions
