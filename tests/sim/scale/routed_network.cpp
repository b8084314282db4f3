#include "tests/sim/scale/routed_network.hpp"

#include <sys/mman.h>

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

nanoseconds& routed_network::free_from(std::vector<nanoseconds>& by_number, int number) {
  const auto n = static_cast<std::size_t>(number);
  if (by_number.size() <= n) by_number.resize(n + 1);
  return by_number[n];
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

// What the buffer held has been read. Its pages are given back, of which very many ranks would have
// as many as each has buffers.
void routed_network::post_receive(int n, void* buffer, std::size_t bytes, void* context) {
  constexpr std::uintptr_t page = 4096;
  const auto first = reinterpret_cast<std::uintptr_t>(buffer);
  const std::uintptr_t from = (first + page - 1) / page * page, to = (first + bytes) / page * page;
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  network::post_receive(n, buffer, bytes, context);
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
  const route& by = model_.route_between(node_of(m.from), node_of(m.to));
  const moment when{free + by.adapters, ++so_far_};
  const bool first = on_their_way_.empty() || when < on_their_way_.begin()->first;
  on_their_way_.emplace(when, arrival{std::move(m), &by});
  if (first) run_.wake(this);
}

std::optional<nanoseconds> routed_network::goes_on(arrival& a) {
  const auto take = [&](nanoseconds& free) {
    const nanoseconds from = std::max(free, run_.now());
    free = from + time_at_endpoint(a.what);
    return from;
  };
  if (a.links < a.by->links.size()) {
    const route::link& next = a.by->links[a.links++];
    return take(free_from(takes_from_, next.number)) + next.latency;
  }
  if (std::exchange(a.received, true)) return std::nullopt;
  const nanoseconds from = take(free_from(receives_from_, a.what.to));
  return from > run_.now() ? std::optional(from) : std::nullopt;
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
    auto place = on_their_way_.extract(on_their_way_.begin());
    if (const auto later = goes_on(place.mapped())) {
      place.key().first = *later;
      on_their_way_.insert(std::move(place));
      continue;
    }
    packet& m = place.mapped().what;
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
