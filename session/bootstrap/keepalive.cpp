#include "session/bootstrap/keepalive.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace oriel::sessions {
namespace {

// The kernel probes after so much idle time, and then every second, until the silence is over.
constexpr std::chrono::seconds asks_after{2};
constexpr int asks_every_s = 1;

}  // namespace

std::chrono::milliseconds silence_of(const job_description& job) noexcept {
  return std::max(shortest_silence, job.patience.value_or(shortest_silence));
}

void keep_alive(int fd, std::chrono::milliseconds silence) noexcept {
  const auto set = [fd](int level, int name, int value) {
    setsockopt(fd, level, name, &value, sizeof value);
  };
  const auto idle_s = std::chrono::duration_cast<std::chrono::seconds>(silence / 3).count();
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE,
      static_cast<int>(std::clamp<std::int64_t>(idle_s, 1, asks_after.count())));
  set(IPPROTO_TCP, TCP_KEEPINTVL, asks_every_s);
  // Bounds what is sent and not acknowledged, too; without it that would be a quarter of an hour.
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(silence.count()));
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

std::string silence_in_words(std::chrono::milliseconds silence) {
  return "was not reached for " + std::to_string(silence.count() / 1000) + " s";
}

bool is_silence(int failure) noexcept {
  return failure == ETIMEDOUT || failure == EHOSTUNREACH || failure == ENETUNREACH ||
         failure == EHOSTDOWN || failure == ENETDOWN;
}

}  // namespace oriel::sessions
