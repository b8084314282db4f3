#include "session/bootstrap/framing.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "session/bootstrap/keepalive.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

template <class Call>
io_result move_all(int fd, short events, std::size_t bytes, deadline until, Call call) {
  std::size_t moved = 0;
  while (moved < bytes) {
    const ssize_t n = call(moved);
    if (n > 0) {
      moved += static_cast<std::size_t>(n);
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (const io_result r = wait_ready(fd, events, until); r != io_result::done) return r;
    } else if (n == 0 || errno != EINTR) {
      return n < 0 && is_silence(errno) ? io_result::silent : io_result::gone;
    }
  }
  return io_result::done;
}

io_result receive_bytes(int fd, char* to, std::size_t n, deadline until) {
  return move_all(fd, POLLIN, n, until,
                  [&](std::size_t at) { return recv(fd, to + at, n - at, MSG_DONTWAIT); });
}

}  // namespace

int milliseconds_left(deadline until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  return left.count() < 0 ? 0 : static_cast<int>(left.count()) + 1;
}

bool patience::wait(std::span<pollfd> watched) {
  while (!over_) {
    over_ = std::chrono::steady_clock::now() >= until_;
    const int ready = poll(watched.data(), watched.size(), milliseconds_left(until_));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) system_failure("cannot wait for other ranks");
  }
  return false;
}

io_result wait_ready(int fd, short events, deadline until) {
  for (;;) {
    pollfd p{fd, events, 0};
    const int ready = poll(&p, 1, milliseconds_left(until));
    if (ready > 0) return io_result::done;
    if (ready == 0) return io_result::late;
    if (errno != EINTR) return io_result::gone;
  }
}

io_result send_bytes(int fd, std::string_view bytes, deadline until) {
  return move_all(fd, POLLOUT, bytes.size(), until, [&](std::size_t at) {
    return send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
  });
}

io_result receive_some(int fd, char* to, std::size_t n, std::size_t& got, deadline until) {
  return move_all(fd, POLLIN, 1, until, [&](std::size_t) {
    const ssize_t came = recv(fd, to, n, MSG_DONTWAIT);
    if (came > 0) got = static_cast<std::size_t>(came);
    return came;
  });
}

io_result send_message(int fd, std::string_view bytes, deadline until) {
  std::string framed;
  append_number(framed, static_cast<std::uint64_t>(bytes.size()));
  framed += bytes;
  return send_bytes(fd, framed, until);
}

io_result receive_message(int fd, std::string& bytes, std::size_t longest, deadline until) {
  std::uint64_t length = 0;
  if (const auto r = receive_bytes(fd, reinterpret_cast<char*>(&length), sizeof length, until);
      r != io_result::done)
    return r;
  if (length > longest) return io_result::malformed;
  bytes.resize(length);
  return receive_bytes(fd, bytes.data(), bytes.size(), until);
}

io_result message_reader::read(int fd, std::string& bytes) {
  for (;;) {
    std::uint64_t length = 0;
    if (held_ >= sizeof length) std::memcpy(&length, came_.data(), sizeof length);
    if (length > longest_) return io_result::malformed;
    const std::size_t whole = sizeof length + (held_ < sizeof length ? 0 : length);
    if (held_ == whole) {
      bytes.assign(came_, sizeof length, length);
      came_ = std::string();
      held_ = 0;
      return io_result::done;
    }
    came_.resize(whole);
    const ssize_t n = recv(fd, came_.data() + held_, whole - held_, MSG_DONTWAIT);
    const int why = errno;
    held_ += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    if (n < 0 && (why == EAGAIN || why == EWOULDBLOCK)) return io_result::late;
    if (n == 0 || (n < 0 && why != EINTR))
      return n < 0 && is_silence(why) ? io_result::silent : io_result::gone;
  }
}

std::string encode_list(const std::vector<std::string>& items) {
  std::string bytes;
  for (const std::string& item : items) {
    append_number(bytes, static_cast<std::uint64_t>(item.size()));
    bytes += item;
  }
  return bytes;
}

std::optional<std::vector<std::string>> decode_list(std::string_view bytes) {
  std::vector<std::string> items;
  while (!bytes.empty()) {
    std::uint64_t length = 0;
    if (!take_number(bytes, length) || length > bytes.size()) return std::nullopt;
    items.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return items;
}

}  // namespace oriel::sessions
