// Messages on the rendezvous sockets: a length, then that many bytes. Lengths are checked before a
// byte is kept, and every call has a deadline.
#pragma once

#include <poll.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::sessions {

using deadline = std::chrono::steady_clock::time_point;

inline constexpr std::size_t longest_message = 64u << 20;

enum class io_result {
  done,
  gone,    // the connection has ended
  silent,  // the other side has not been reached for so long that the connection has
           // (keepalive.hpp)
  late,
  malformed,
  interrupted  // something else is to be dealt with first
};

// For poll(2); 0 once it has passed.
int milliseconds_left(deadline until);

// Waits of a loop that has a deadline, even where something comes all the while that is not what it
// waits for.
class patience {
 public:
  explicit patience(deadline until) noexcept : until_(until) {}
  // Until poll(2) reports something; whether it has. Looks once more after the deadline, at what
  // had come before this process got to run, and is false from then on. Throws system.
  bool wait(std::span<pollfd> watched);

 private:
  deadline until_;
  bool over_ = false;
};

// Until poll(2) reports one of `events`, or an error.
io_result wait_ready(int fd, short events, deadline until);

// Unframed, for other protocols: all of `bytes`, and what has come, 1 to `n` bytes of it.
io_result send_bytes(int fd, std::string_view bytes, deadline until);
io_result receive_some(int fd, char* to, std::size_t n, std::size_t& got, deadline until);

io_result send_message(int fd, std::string_view bytes, deadline until);
io_result receive_message(int fd, std::string& bytes, std::size_t longest, deadline until);

// Messages of a connection that is read without blocking.
class message_reader {
 public:
  explicit message_reader(std::size_t longest) noexcept : longest_(longest) {}
  // Takes what has come, up to the end of one message. done: `bytes` is that message; late: it has
  // not come whole.
  io_result read(int fd, std::string& bytes);

 private:
  std::size_t longest_;
  std::string came_;  // room for the message under way, its length included
  std::size_t held_ = 0;
};

// Numbers as they lie in memory, at the end of `bytes` and at its beginning.
template <std::integral Number>
void append_number(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <std::integral Number>
[[nodiscard]] bool take_number(std::string_view& bytes, Number& value) noexcept {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

// Several byte strings as one, and back. Nothing when malformed.
std::string encode_list(const std::vector<std::string>& items);
std::optional<std::vector<std::string>> decode_list(std::string_view bytes);

}  // namespace oriel::sessions
