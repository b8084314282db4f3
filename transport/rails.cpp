#include "transport/rails.hpp"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "session/node/network_interface.hpp"

namespace oriel::transport {
namespace {

// Shorter reads and writes go by one rail whole.
constexpr std::size_t spread_from = 256 << 10;
constexpr std::size_t page = 4096;

}  // namespace

rails::rails(endpoint& first, std::vector<std::unique_ptr<endpoint>> more,
             std::vector<std::string> names, const sessions::job& job)
    : more_(std::move(more)),
      names_(std::move(names)),
      ranks_(static_cast<std::size_t>(job.size())),
      peers_(std::make_unique<peer[]>(ranks_)) {
  ports_.push_back(&first);
  for (const auto& e : more_) ports_.push_back(e.get());
  for (int r = 0; r < job.size(); ++r) {
    at(r).rank = r;
    at(r).first = (job.node_rank_of(job.rank()) + job.node_rank_of(r)) % count();
  }
}

void rails::close(int rail) noexcept {
  for (peer& p : all())
    if (of(p) == rail) p.messages.send_again();
  port(rail).abandon();
  closed_.fetch_or(1u << rail, std::memory_order_relaxed);
}

std::size_t rails::serving() const noexcept {
  const int n = count() - std::popcount(closed());
  return static_cast<std::size_t>(std::max(n, 1));
}

int rails::turned(const peer& p, std::size_t passed_over) const noexcept {
  for (int i = 0; i < count(); ++i) {
    const int rail = (p.first + i) % count();
    if (serves(rail) && passed_over-- == 0) return rail;
  }
  return -1;
}

bool rails::is_moving(const peer& p, int rail) const noexcept {
  for (int before = p.first; before != rail; before = (before + 1) % count())
    if ((p.closed >> before & 1u) == 0) return true;
  return false;
}

std::size_t rails::piece_of(std::size_t bytes, std::size_t longest) const noexcept {
  const std::size_t n = serving();
  if (n == 1 || bytes < spread_from) return longest;
  const std::size_t part = (bytes + n - 1) / n;
  return std::min(longest, (part + page - 1) / page * page);
}

bool rails::sleep(std::chrono::microseconds at_most) noexcept {
  std::array<pollfd, sessions::most_rails> descriptors;
  nfds_t n = 0;
  {
    // A closed endpoint leaves in its queue, for fi_trywait, what is no more (libfabric 1.17).
    const std::lock_guard hold(mutex_);
    for (int rail = 0; rail < count(); ++rail) {
      if (!serves(rail)) continue;
      endpoint& e = port(rail);
      if (!e.can_sleep()) {
        sync::sleep_for(std::chrono::microseconds(20));
        return false;
      }
      if (!e.may_sleep()) return true;
      descriptors[n++] = {e.wait_descriptor(), POLLIN, 0};
    }
  }
  const timespec limit{0, std::chrono::nanoseconds(at_most).count()};
  return ::ppoll(descriptors.data(), n, &limit, nullptr) > 0;
}

void rails::wake() noexcept {
  for (endpoint* const e : ports_) e->wake();
}

std::string rails::in_words(std::uint32_t failed) const {
  std::string text;
  for (int k = 0; k < count(); ++k)
    text += (text.empty()       ? ""
             : k + 1 == count() ? " and "
                                : ", ") +
            names_[static_cast<std::size_t>(k)] + ((failed >> k & 1u) != 0 ? " (has failed)" : "");
  return text;
}

}  // namespace oriel::transport
