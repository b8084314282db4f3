#include "bench/limits/net/aggregator.hpp"

namespace bench::net {
namespace {

// Kinds of message beyond those of element_op.
constexpr std::uint32_t results_kind = 100, flush_kind = 101, flushed_kind = 102;
// Entries whose lines are fetched before they are performed.
constexpr std::size_t ahead = 32;

}  // namespace

aggregator::aggregator(processes& all, std::span<std::uint64_t> mine)
    : mine_(mine), wire_(all, [this](const wire_message& m) { receive(m); }) {}

void aggregator::open(element_op op) {
  filling_ = wire_.blank(static_cast<std::uint32_t>(op));
  if (!has_result(op) || sinks_ != nullptr) return;
  if (idle_.empty()) idle_.push_back(std::make_unique<sinks>());
  sinks_ = std::move(idle_.back());
  idle_.pop_back();
}

void aggregator::send() {
  wire_.post(std::move(filling_));
  if (sinks_ != nullptr) under_way_.push_back(std::move(sinks_));
  wire_.progress();
  wire_.wait_until("room for a message", [this] {
    return wire_.waiting() < most_under_way && under_way_.size() < most_under_way;
  });
}

void aggregator::flush() {
  if (filling_ != nullptr) send();
  const std::size_t wanted = flushed_ + 1;
  wire_.post(wire_.blank(flush_kind));
  wire_.wait_until("a flush", [&] { return flushed_ == wanted; });
}

void aggregator::receive(const wire_message& m) {
  switch (m.kind) {
    case static_cast<std::uint32_t>(element_op::put):
      return serve<element_op::put>(m);
    case static_cast<std::uint32_t>(element_op::add):
      return serve<element_op::add>(m);
    case static_cast<std::uint32_t>(element_op::get):
      return serve<element_op::get>(m);
    case static_cast<std::uint32_t>(element_op::fetch_add):
      return serve<element_op::fetch_add>(m);
    case static_cast<std::uint32_t>(element_op::replace):
      return serve<element_op::replace>(m);
    case static_cast<std::uint32_t>(element_op::claim):
      return serve<element_op::claim>(m);
    case results_kind:
      return deliver(m);
    case flush_kind:
      return wire_.post(wire_.blank(flushed_kind));
    default:
      ++flushed_;
  }
}

template <element_op Op>
void aggregator::serve(const wire_message& m) {
  constexpr std::size_t step = words_of(Op);
  const std::size_t n = m.words / step;
  auto answer = has_result(Op) ? wire_.blank(results_kind) : nullptr;
  for (std::size_t j = 0; j < std::min(n, ahead); ++j)
    __builtin_prefetch(&mine_[m.payload[j * step]], 1);
  for (std::size_t j = 0; j < n; ++j) {
    __builtin_prefetch(&mine_[m.payload[std::min(j + ahead, n - 1) * step]], 1);
    const std::uint64_t value = step == 2 ? m.payload[j * step + 1] : 0;
    const std::uint64_t before = perform<Op>(mine_[m.payload[j * step]], value);
    if constexpr (has_result(Op)) answer->payload[j] = before;
  }
  if constexpr (has_result(Op)) {
    answer->words = static_cast<std::uint32_t>(n);
    wire_.post(std::move(answer));
  }
}

// Messages of results come in the order of those that asked.
void aggregator::deliver(const wire_message& m) {
  sinks& to = *under_way_.front();
  for (std::size_t j = 0; j < to.n; ++j) *to.at[j] = m.payload[j];
  to.n = 0;
  idle_.push_back(std::move(under_way_.front()));
  under_way_.pop_front();
}

}  // namespace bench::net
