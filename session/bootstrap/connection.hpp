// A connection with a rank that has proven itself: its messages, and how many there were.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {

struct traffic {
  int sent = 0;
  int received = 0;
  friend traffic operator+(traffic a, traffic b) noexcept {
    return {a.sent + b.sent, a.received + b.received};
  }
};

// To tell others of a failure or a decision, where some do not take it.
inline constexpr std::chrono::seconds last_words{1};

class connection {
 public:
  connection() = default;
  explicit connection(socket_fd fd) noexcept : fd_(std::move(fd)) {}

  [[nodiscard]] bool valid() const noexcept { return fd_.valid(); }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] traffic counted() const noexcept { return counted_; }

  // late where the other does not take it, and from then on where it has taken a part: nothing may
  // follow amid a message. Throws system.
  io_result send(std::string_view bytes, deadline until);
  // Waits for a message. Throws system.
  io_result receive(std::string& bytes, deadline until);
  // Takes what has come; late where that is no whole message yet.
  io_result read(std::string& bytes);

  static std::vector<connection*> each_of(std::vector<connection>& all) {
    std::vector<connection*> found;
    found.reserve(all.size());
    for (connection& c : all) found.push_back(&c);
    return found;
  }
  // The same message on each of them; none delays the others. Returns what came of it, by place.
  // Throws system.
  static std::vector<io_result> send_on_each(std::span<connection* const>, std::string_view bytes,
                                             deadline until);

 private:
  socket_fd fd_;
  message_reader reader_{longest_message};
  traffic counted_;
  bool amid_message_ = false;  // of which no more is sent
};

}  // namespace oriel::sessions
