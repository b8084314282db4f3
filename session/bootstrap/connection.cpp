#include "session/bootstrap/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "session/bootstrap/keepalive.hpp"

namespace oriel::sessions {
namespace {

// Sends what the kernel takes of `bytes` from `sent` on.
io_result push(int fd, std::string_view bytes, std::size_t& sent) {
  while (sent < bytes.size()) {
    const ssize_t n =
        send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0)
      sent += static_cast<std::size_t>(n);
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      return io_result::late;
    else if (errno != EINTR)
      return is_silence(errno) ? io_result::silent : io_result::gone;
  }
  return io_result::done;
}

}  // namespace

io_result connection::send(std::string_view bytes, deadline until) {
  const io_result r = send_message(fd_.get(), bytes, until);
  counted_.sent += r == io_result::done ? 1 : 0;
  return r;
}

io_result connection::receive(std::string& bytes, deadline until) {
  for (;;) {
    if (const io_result r = read(bytes); r != io_result::late) return r;
    if (const io_result r = wait_ready(fd_.get(), POLLIN, until); r != io_result::done) return r;
  }
}

io_result connection::read(std::string& bytes) {
  const io_result r = reader_.read(fd_.get(), bytes);
  counted_.received += r == io_result::done ? 1 : 0;
  return r;
}

std::vector<io_result> connection::send_on_each(std::span<connection* const> to,
                                                std::string_view bytes, deadline until) {
  std::string framed;
  append_number(framed, static_cast<std::uint64_t>(bytes.size()));
  framed += bytes;
  std::vector<std::size_t> sent(to.size());
  std::vector<io_result> results(to.size(), io_result::late);
  std::vector<pollfd> watched(to.size(), pollfd{-1, POLLOUT, 0});
  for (;;) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (results[i] != io_result::late) continue;
      results[i] = push(to[i]->fd(), framed, sent[i]);
      to[i]->counted_.sent += results[i] == io_result::done ? 1 : 0;
      watched[i].fd = results[i] == io_result::late ? to[i]->fd() : -1;
    }
    if (std::find(results.begin(), results.end(), io_result::late) == results.end()) break;
    if (poll(watched.data(), watched.size(), milliseconds_left(until)) == 0) break;
  }
  return results;
}

}  // namespace oriel::sessions
