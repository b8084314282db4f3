// Two processes joined by one TCP connection over the loopback, for messages of at most 16 KiB each
// way at once, with no more around the socket calls than they need.
//
// One thread a process. Nothing that sends blocks: what the socket does not take waits here.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "bench/limits/net/connection.hpp"
#include "bench/limits/patience.hpp"
#include "bench/limits/processes.hpp"

namespace bench::net {

struct wire_message {
  static constexpr std::size_t most_words = (16u << 10) / sizeof(std::uint64_t);

  std::uint32_t kind;
  std::uint32_t words;  // of the payload
  std::uint64_t payload[most_words];

  [[nodiscard]] std::size_t bytes() const { return sizeof(std::uint64_t) * (1 + words); }
};

class wire {
 public:
  using receiver = std::function<void(const wire_message&)>;

  // Collective over `all`, two processes that outlive it. `take` is called for each message, in
  // their order; it may post others.
  wire(processes& all, receiver take);
  ~wire();
  wire(const wire&) = delete;
  wire& operator=(const wire&) = delete;

  // Without words.
  std::unique_ptr<wire_message> blank(std::uint32_t kind);
  void post(std::unique_ptr<wire_message>);
  // Sends what the socket takes, and receives what has come.
  void progress();
  // Messages that the socket has not taken.
  [[nodiscard]] std::size_t waiting() const { return outgoing_.size(); }
  template <class Condition>
  void wait_until(const char* what, Condition met) {
    patience wait(what, all_.crowded());
    for (; !met(); wait.turn()) progress();
  }

 private:
  void send_some();
  void receive_some();

  processes& all_;
  receiver take_;
  connection socket_;
  std::deque<std::unique_ptr<wire_message>> outgoing_;
  std::size_t sent_ = 0;  // bytes of the first
  std::vector<std::unique_ptr<wire_message>> idle_;
  page_buffer arriving_;
  std::size_t have_ = 0;  // bytes there
};

}  // namespace bench::net
