#include "examples/wordcount/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace wordcount {

using namespace oriel;

progress::progress(const team& t, std::uint64_t total)
    : me_(t.me()),
      total_(std::max<std::uint64_t>(total, 1)),
      terminal_(isatty(STDERR_FILENO) == 1),
      done_(window<std::uint64_t, promise>::allocate(t, t.me() == rank{0} ? 1 : 0,
                                                     {.name = "progress"})),
      epoch_(done_.lock_all()) {}

void progress::advance(std::uint64_t bytes) {
  done_.add(rank{0}, disp{0}, bytes).or_throw();
  if (me_ == rank{0} && terminal_) draw(false);
}

void progress::draw(bool now) {
  using namespace std::chrono_literals;
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - drawn_ < 50ms) return;
  drawn_ = time;
  constexpr std::uint64_t width = 40;
  const std::uint64_t done = std::min(done_.get(rank{0}, disp{0}), total_);
  const auto filled = static_cast<std::size_t>(done * width / total_);
  fmt::print(stderr, "\r[{}{}] {:3}%", std::string(filled, '#'), std::string(width - filled, ' '),
             done * 100 / total_);
  std::fflush(stderr);
}

void progress::finish() {
  if (me_ != rank{0} || !terminal_) return;
  draw(true);
  fmt::print(stderr, "\n");
}

}  // namespace wordcount
