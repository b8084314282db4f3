#include "session/team/far_clocks.hpp"

namespace oriel::sessions {
namespace {

// How far two clocks may run apart in the time between, with what a clock is ahead where several
// things happen within its resolution.
std::int64_t apart(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t between = a < b ? b - a : a - b;
  return static_cast<std::int64_t>(between / 1000 + 1000);
}

}  // namespace

void far_clocks::heard(int n, std::uint64_t asked, std::uint64_t theirs) noexcept {
  bound& known = nodes_[static_cast<std::size_t>(n)];
  const auto ahead = static_cast<std::int64_t>(theirs - asked);
  if (known.at == 0 || ahead < known.ahead + apart(known.at, asked)) known = {ahead, asked};
}

std::uint64_t far_clocks::not_before(int n, std::uint64_t mine) const noexcept {
  if (n == my_node_ || mine == 0) return mine;
  const bound& known = nodes_[static_cast<std::size_t>(n)];
  if (known.at == 0) return never;
  const std::int64_t ahead = known.ahead + apart(known.at, mine);
  if (ahead >= 0) return mine + static_cast<std::uint64_t>(ahead);
  const std::uint64_t behind = 0 - static_cast<std::uint64_t>(ahead);
  return behind < mine ? mine - behind : 1;
}

}  // namespace oriel::sessions
