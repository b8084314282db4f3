#include "session/node/address_map.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
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
  m.executable = allowed[2] == 'x';
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

// One mapping by one call: struct procmap_query and PROCMAP_QUERY of linux/fs.h, which headers
// before Linux 6.11 lack.
struct query {
  std::uint64_t size = sizeof(query);
  std::uint64_t flags = 0x10;  // the mapping at the address or the next one
  std::uint64_t address = 0;
  std::uint64_t begin = 0, end = 0;
  std::uint64_t allowed = 0;
  std::uint64_t page_size = 0;
  std::uint64_t offset = 0;
  std::uint64_t inode = 0;
  std::uint32_t major = 0, minor = 0;
  std::uint32_t name_size = 0;
  std::uint32_t build_id_size = 0;
  std::uint64_t name = 0;
  std::uint64_t build_id = 0;
};
constexpr unsigned long map_query = _IOWR('f', 17, query);
enum query_allowed : std::uint64_t { may_read = 1, may_write = 2, may_execute = 4, is_shared = 8 };

mapping mapping_of(const query& q, const char* name) noexcept {
  mapping m;
  m.begin = q.begin;
  m.end = q.end;
  m.readable = (q.allowed & may_read) != 0;
  m.writable = (q.allowed & may_write) != 0;
  m.executable = (q.allowed & may_execute) != 0;
  m.shared = (q.allowed & is_shared) != 0;
  m.file_offset = q.offset;
  m.inode = q.inode;
  m.device = makedev(q.major, q.minor);
  m.heap = std::strcmp(name, "[heap]") == 0;
  m.stack = std::strcmp(name, "[stack]") == 0;
  return m;
}

enum class asked : std::uint8_t { done, failed, not_known };

asked ask_for_each(int fd, std::uint64_t begin, std::uint64_t end, mapping_visitor each,
                   void* with) {
  std::array<char, 4096> name;
  for (std::uint64_t from = begin; from < end;) {
    query q;
    q.address = from;
    q.name_size = name.size();
    q.name = reinterpret_cast<std::uintptr_t>(name.data());
    name[0] = '\0';
    if (ioctl(fd, map_query, &q) != 0) {
      if (errno == EINTR) continue;
      if (errno == ENOENT) break;
      return from == begin ? asked::not_known : asked::failed;
    }
    if (q.begin >= end || !each(mapping_of(q, q.name_size == 0 ? "" : name.data()), with)) break;
    from = q.end;
  }
  return asked::done;
}

bool read_for_each(int fd, std::uint64_t begin, std::uint64_t end, mapping_visitor each,
                   void* with) {
  // A line is a path's length and some more; of a longer one the path's end is lost.
  std::array<char, 8192> text;
  std::size_t kept = 0;
  bool more = true;
  while (more) {
    const ssize_t n = read(fd, text.data() + kept, text.size() - 1 - kept);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) return kept == 0;
    if (n < 0) return false;  // of a line without end, too, for which there is no room
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
  return true;
}

}  // namespace

bool for_each_mapping(std::uint64_t begin, std::uint64_t end, mapping_visitor each, void* with) {
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  asked how = ask_for_each(fd, begin, end, each, with);
  if (how == asked::not_known && read_for_each(fd, begin, end, each, with)) how = asked::done;
  close(fd);
  return how == asked::done;
}

}  // namespace oriel::sessions
