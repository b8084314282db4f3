#include "tests/sim/fabric/network.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace oriel::sim {
network* network::current_ = nullptr;

network::network(scheduler& run, provider_traits traits, int of)
    : run_(run), traits_(std::move(traits)) {
  current_ = this;
  run.start_server(of, "the network", [this] { serve(); });
}

network::~network() {
  current_ = nullptr;
}

// --- By processes

network::queue& network::new_queue() {
  return queues_.emplace_back();
}

int network::number_of(const queue& q) const noexcept {
  int n = 0;
  while (&queues_[static_cast<std::size_t>(n)] != &q) ++n;
  return n;
}

int network::open_port(domain& of) {
  port p;
  p.process = run_.process();
  p.of = &of;
  ports_.push_back(std::move(p));
  return static_cast<int>(ports_.size()) - 1;
}

void network::bind(int n, queue& q) {
  if (at(n).completions == &q) return;
  at(n).completions = &q;
  q.ports.push_back(n);
}

void network::close_port(int n) {
  run_.step("closes an endpoint");
  port& p = at(n);
  p.open = false;
  p.receives.clear();
  p.unexpected.clear();
  p.inbox.clear();
  std::erase(p.completions->ports, n);
  // What it has posted is discarded, from some packet on: earlier ones have left whole.
  for (auto& [where, on] : wires_) {
    if (where.first != n) continue;
    std::uint64_t kept = run_.draw(on.size() + 1);
    std::erase_if(on, [&](packet& m) {
      if (returns(m.what)) return false;
      if (kept == 0 || !m.left) return true;
      --kept;
      read_source(m);
      return false;
    });
  }
}

bool network::refuses(int n) {
  run_.step("posts");
  run_.drain();  // a device finds what was stored before it was told
  port& p = at(n);
  if (p.refuses_until <= run_.now() && run_.chance(traits_.posts_between_refusals))
    p.refuses_until = run_.now() + nanoseconds(run_.draw(100'000) << run_.draw(4));
  return p.refuses_until > run_.now() || p.under_way >= traits_.most_under_way;
}

void network::post(packet m) {
  m.due = run_.now() + some_time(m);
  m.left = traits_.progresses_alone || run_.chance(2);
  ++at(m.from).under_way;
  if (m.left && !is_gone(at(m.to)) && (!traits_.progresses_alone || run_.chance(2))) read_source(m);
  carry(std::move(m));
}

void network::carry(packet m) {
  wires_[{m.from, m.to}].push_back(std::move(m));
  run_.wake(this);
}

void network::post_receive(int n, void* buffer, std::size_t bytes, void* context) {
  at(n).receives.push_back({buffer, bytes, context});
  if (at(n).unexpected.empty()) return;
  packet m = std::move(at(n).unexpected.front());
  at(n).unexpected.pop_front();
  receive_message(at(n), std::move(m));
}

void network::progress(queue& q) {
  run_.step("polls");
  if (traits_.progresses_alone || q.polled) return;
  q.polled = true;
  for (std::size_t i = 0; i < q.ports.size(); ++i) {
    const int n = q.ports[i];
    for (auto& [where, on] : wires_)
      for (packet& m : on) {
        if (where.first != n || m.left) continue;
        m.left = true;
        if (!is_gone(at(m.to))) read_source(m);
      }
    for (std::uint64_t most = 1 + run_.draw(8); most > 0 && !at(n).inbox.empty(); --most) {
      packet m = std::move(at(n).inbox.front());
      at(n).inbox.pop_front();
      handle(std::move(m));
    }
  }
  q.polled = false;
  run_.wake(this);
}

bool network::is_ready(const queue& q) const noexcept {
  return !q.entries.empty() || std::any_of(q.ports.begin(), q.ports.end(), [this](int n) {
    const port& p = ports_[static_cast<std::size_t>(n)];
    return !p.inbox.empty();
  });
}

void network::signal(queue& q) {
  q.signalled = true;
  notice(q);
}

void network::notice(queue&) {
  run_.wake(&queues_);
}

bool network::wait(std::span<queue* const> queues, nanoseconds at_most) {
  run_.step("sleeps at a descriptor");
  const nanoseconds until = run_.now() + at_most;
  for (;;) {
    for (queue* const q : queues)
      if (is_ready(*q) || std::exchange(q->signalled, false)) return true;
    if (run_.now() >= until) return false;
    run_.sleep("sleeps at a descriptor", &queues_, until - run_.now());
  }
}

void network::cut_off(int process, nanoseconds until) {
  cuts_[process] = until;
}

void network::cut_rail(int rail, int process, bool breaks) {
  cut_rails_.emplace(rail, process);
  constexpr std::uint64_t slow = 20'000'000;
  for (auto& [ends, longer] : ways_)
    if (at(ends.first).of->rail == rail && run_.chance(2)) longer = nanoseconds(run_.draw(slow));
  if (!breaks) return;
  std::vector<packet> lost;
  for (auto& [where, on] : wires_)
    std::erase_if(on, [&](packet& m) {
      if (!is_cut(m)) return false;
      lost.push_back(std::move(m));
      return true;
    });
  fail(std::move(lost));
}

void network::break_connection(int rail, int process, int other) {
  run_.step("breaks a connection");
  std::vector<packet> lost;
  for (auto& [ends, on] : wires_) {
    const port &from = at(ends.first), &to = at(ends.second);
    const bool between = (from.process == process && to.process == other) ||
                         (from.process == other && to.process == process);
    if (!between || from.of->rail != rail) continue;
    const auto first = static_cast<std::ptrdiff_t>(run_.draw(on.size() + 1));
    std::move(on.begin() + first, on.end(), std::back_inserter(lost));
    on.erase(on.begin() + first, on.end());
  }
  fail(std::move(lost));
}

// They are on no wire any more.
void network::fail(std::vector<packet> lost) {
  for (const packet& m : lost) {
    if (!returns(m.what)) --at(m.from).under_way;
    if (!m.told && m.context != nullptr) complete(m, FI_ECONNRESET);
  }
}

}  // namespace oriel::sim
