#include "session/bootstrap/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

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
  connection* const alone = this;
  return send_on_each({&alone, 1}, bytes, until)[0];
}

io_result connection::receive(std::string& bytes, deadline until) {
  pollfd watched{fd_.get(), POLLIN, 0};
  patience until_late(until);
  for (;;) {
    if (const io_result r = read(bytes); r != io_result::late) return r;
    if (!until_late.wait({&watched, 1})) return io_result::late;
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
  std::vector<pollfd> watched;
  for (const connection* c : to) watched.push_back({c->amid_message_ ? -1 : c->fd(), POLLOUT, 0});
  patience until_late(until);
  for (bool all = false; !all;) {
    all = true;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (watched[i].fd < 0) continue;
      results[i] = push(to[i]->fd(), framed, sent[i]);
      to[i]->counted_.sent += results[i] == io_result::done ? 1 : 0;
      if (results[i] != io_result::late) watched[i].fd = -1;
      all = all && watched[i].fd < 0;
    }
    if (!all && !until_late.wait(watched)) break;
  }
  for (std::size_t i = 0; i < to.size(); ++i)
    if (results[i] == io_result::late && sent[i] > 0) to[i]->amid_message_ = true;
  return results;
}

}  // namespace oriel::sessions
