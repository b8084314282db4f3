#include "win/construct/publish.hpp"

#include <algorithm>

#include "session/team/collective_attempt.hpp"

namespace oriel::win {
namespace {

void require_success(const blueprint& b, errc met) {
  if (met != errc::success) cannot_construct(b.group(), b.asked.options->name, met);
}

// One copy a node; no rank uses it before all of the node have returned from this.
void share_tickets(const blueprint& b, opened& part) {
  detail::team_state& group = b.group();
  std::vector<remote_ticket>& all = part.tickets;
  require_success(b, group.allgather(b.call(), &part.ticket, sizeof part.ticket, all.data()));
  if (group.leads())
    std::copy(all.begin(), all.end(), (*part.window).shared<remote_ticket>(b.layout.tickets));
  char done = 0;
  require_success(b, group.node_broadcast(b.call(), &done, 1, 0));
}

}  // namespace

std::unique_ptr<detail::window_core> publish(const blueprint& b, opened part) {
  if (b.needs_settling()) {
    require_success(b, sessions::settle(b.group(), b.call(), part.how));
    if (!part.how.ok()) sessions::fail_alike(b.title(), part.how);
    if (b.layout.tickets != 0) share_tickets(b, part);
  }
  return part.window.finish();
}

}  // namespace oriel::win
