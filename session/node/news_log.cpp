#include "session/node/news_log.hpp"

#include <tuple>

namespace oriel::sessions {

std::size_t news_log::append_to(std::string& out, std::size_t at, int peer,
                                std::uint32_t turn) const {
  constexpr std::size_t at_a_time = 4096;
  const std::size_t until = std::min(released_, at + at_a_time);
  std::vector<item> told;
  for (; at < until; ++at)
    if (items_[at].from != peer) told.push_back(items_[at]);
  // News of one rank keeps its order: what may follow comes later in the enumeration.
  std::sort(told.begin(), told.end(), [](const item& a, const item& b) {
    return std::tie(a.what, a.rank) < std::tie(b.what, b.rank);
  });
  for (std::size_t i = 0; i < told.size();) {
    link_news n{told[i].what, turn, told[i].rank, told[i].rank};
    for (++i; i < told.size() && told[i].what == n.what && told[i].rank <= n.last + 1; ++i)
      n.last = told[i].rank;
    out += encode(n);
  }
  return at;
}

}  // namespace oriel::sessions
