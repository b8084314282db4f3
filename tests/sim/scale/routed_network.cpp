#include "tests/sim/scale/routed_network.hpp"

#include <algorithm>
#include <utility>

namespace oriel::sim {

routed_network::routed_network(event_scheduler& run, const machine_model& model,
                               const std::vector<int>& nodes)
    : network(run, model.provider, static_cast<int>(nodes.size())),
      model_(model),
      nodes_(nodes),
      sent_(nodes.size() + 1),
      bells_(nodes.size() + 1) {}

nanoseconds& routed_network::free_from(std::vector<nanoseconds>& by_port, int port) {
  const auto n = static_cast<std::size_t>(port);
  if (by_port.size() <= n) by_port.resize(n + 1);
  return by_port[n];
}

bool routed_network::refuses(int) {
  run_.sleep("posts", nullptr, model_.overhead);
  return false;
}

void routed_network::post(packet m) {
  traffic& mine = sent_[static_cast<std::size_t>(run_.process())];
  ++mine.messages;
  mine.bytes += m.length;
  m.left = true;
  ++at(m.from).under_way;
  if (!is_gone(at(m.to))) read_source(m);
  carry(std::move(m));
}

nanoseconds routed_network::time_at_endpoint(const packet& m) const noexcept {
  const std::size_t bytes = m.what == kind::read || m.what == kind::confirmation ? 0 : m.length;
  const auto by_bandwidth =
      static_cast<std::int64_t>(static_cast<double>(bytes) / model_.bytes_a_ns);
  return std::max(model_.gap, nanoseconds(by_bandwidth));
}

void routed_network::carry(packet m) {
  nanoseconds& free = free_from(sends_from_, m.from);
  free = std::max(free, run_.now()) + time_at_endpoint(m);
  const auto node_of = [this](int port) {
    return nodes_[static_cast<std::size_t>(at(port).process)];
  };
  m.due = free + model_.latency(node_of(m.from), node_of(m.to));
  const bool first = on_their_way_.empty() || m.due < on_their_way_.begin()->first.first;
  const moment when{m.due, ++so_far_};
  on_their_way_.emplace(when, arrival{std::move(m)});
  if (first) run_.wake(this);
}

void routed_network::serve() {
  for (;;) {
    if (on_their_way_.empty()) {
      run_.sleep("waits for packets", this, std::nullopt);
      continue;
    }
    const moment next = on_their_way_.begin()->first;
    if (next.first > run_.now()) {
      run_.sleep("waits until a packet arrives", this, next.first - run_.now());
      continue;
    }
    arrival a = std::move(on_their_way_.extract(on_their_way_.begin()).mapped());
    if (!std::exchange(a.received, true)) {
      nanoseconds& free = free_from(receives_from_, a.what.to);
      const nanoseconds from = std::max(free, run_.now());
      free = from + time_at_endpoint(a.what);
      if (from > run_.now()) {
        on_their_way_.emplace(moment{from, next.second}, std::move(a));
        continue;
      }
    }
    packet& m = a.what;
    if (!returns(m.what)) --at(m.from).under_way;
    if (is_gone(at(m.to)))
      lose(m);
    else
      handle(std::move(m));
  }
}

void routed_network::progress(queue& q) {
  if (q.entries.empty())
    run_.sleep("polls", bell_of(run_.process()), run_.how().turn);
  else
    run_.sleep("takes what has arrived", nullptr, model_.overhead);
}

bool routed_network::wait(std::span<queue* const> queues, nanoseconds at_most) {
  const nanoseconds until = run_.now() + at_most;
  for (;;) {
    for (queue* const q : queues)
      if (is_ready(*q) || std::exchange(q->signalled, false)) return true;
    if (run_.now() >= until) return false;
    run_.sleep("sleeps at a descriptor", bell_of(run_.process()), until - run_.now());
  }
}

void routed_network::notice(queue& q) {
  if (!q.ports.empty()) run_.wake(bell_of(at(q.ports.front()).process));
}

}  // namespace oriel::sim
