#include "tools/run/output_tagger.hpp"

#include <unistd.h>

#include <cerrno>

namespace oriel::tools {

void output_tagger::take(std::string_view bytes) {
  rest_ += bytes;
  std::size_t start = 0;
  for (std::size_t end; (end = rest_.find('\n', start)) != std::string::npos; start = end + 1)
    write_line(std::string_view(rest_).substr(start, end - start));
  rest_.erase(0, start);
}

void output_tagger::finish() {
  if (!rest_.empty()) write_line(rest_);
  rest_.clear();
}

void output_tagger::write_line(std::string_view line) {
  std::string whole = tag_;
  whole += line;
  whole += '\n';
  for (std::string_view left = whole; !left.empty();) {
    const ssize_t n = write(to_, left.data(), left.size());
    if (n < 0 && errno != EINTR) return;  // no process reads any more
    if (n > 0) left.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace oriel::tools
