// What a program would write by hand to access random elements of another process: operations are
// gathered in buffers of 16 KiB, which the other process performs in its memory as they come, with
// prefetches; results come back in one message a buffer.
//
// One thread a process, which alone accesses the memory: nothing need be atomic.
#pragma once

#include <deque>
#include <span>

#include "bench/limits/net/wire.hpp"

namespace bench::net {

enum class element_op : std::uint32_t { put, add, get, fetch_add, replace, claim };

// One word an entry of those that give no value.
constexpr std::size_t words_of(element_op op) {
  return op == element_op::get ? 1 : 2;
}
constexpr bool has_result(element_op op) {
  return op != element_op::put && op != element_op::add;
}

// Returns the value before. `claim` stores only where there was 0.
template <element_op Op>
std::uint64_t perform(std::uint64_t& element, std::uint64_t value) {
  const std::uint64_t before = Op == element_op::put ? 0 : element;
  if constexpr (Op == element_op::put || Op == element_op::replace) element = value;
  if constexpr (Op == element_op::add || Op == element_op::fetch_add) element = before + value;
  if constexpr (Op == element_op::claim) element = before == 0 ? value : before;
  return before;
}

class aggregator {
 public:
  // Collective over `all`; both outlive it.
  aggregator(processes& all, std::span<std::uint64_t> mine);

  // On element `index` of the other process. One Op at a time: flush() between them. `result` is
  // there after flush().
  template <element_op Op>
  void begin(std::uint64_t index, std::uint64_t value, std::uint64_t* result) {
    if (filling_ == nullptr) open(Op);
    wire_message& m = *filling_;
    std::uint64_t* const entry = m.payload + m.words;
    entry[0] = index;
    if constexpr (words_of(Op) == 2) entry[1] = value;
    m.words += words_of(Op);
    if constexpr (has_result(Op)) sinks_->at[sinks_->n++] = result;
    if (m.words == wire_message::most_words) send();
  }
  // All is performed there, and results are here.
  void flush();

 private:
  // Where the results of one message go.
  struct sinks {
    std::size_t n = 0;
    std::uint64_t* at[wire_message::most_words];
  };
  // Messages under way before the next waits.
  static constexpr std::size_t most_under_way = 16;

  void open(element_op);
  void send();
  void receive(const wire_message&);
  void deliver(const wire_message&);
  template <element_op Op>
  void serve(const wire_message&);

  std::span<std::uint64_t> mine_;
  wire wire_;
  std::unique_ptr<wire_message> filling_;
  std::unique_ptr<sinks> sinks_;
  std::deque<std::unique_ptr<sinks>> under_way_;
  std::vector<std::unique_ptr<sinks>> idle_;
  std::size_t flushed_ = 0;
};

}  // namespace bench::net
