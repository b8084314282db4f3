// A dense tile sent from where it lies and received where its rows lie, and one word back.
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

#include "bench/limits/net/connection.hpp"
#include "bench/limits/net/rows.hpp"
#include "bench/limits/patience.hpp"

namespace bench::net {
namespace {

using parts = std::vector<iovec>;

// `transfer` moves as much as it can of what is left, and returns how much.
template <class Transfer>
void move_all(processes& all, parts left, Transfer transfer) {
  patience wait("a tile", all.crowded());
  for (std::size_t first = 0; first < left.size();) {
    msghdr call{};
    call.msg_iov = left.data() + first;
    call.msg_iovlen = left.size() - first;
    ssize_t moved = transfer(&call);
    if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR))
      throw other_ended("a process of the measurement ended");
    if (moved < 0) wait.turn();
    for (; moved > 0; ++first) {
      iovec& part = left[first];
      const std::size_t of_this = std::min(part.iov_len, static_cast<std::size_t>(moved));
      part.iov_base = static_cast<char*>(part.iov_base) + of_this;
      part.iov_len -= of_this;
      moved -= static_cast<ssize_t>(of_this);
      if (part.iov_len != 0) break;
    }
  }
}

}  // namespace

void tile_row(processes& all, const arguments& a) {
  constexpr const char* name = "net_tile_put";
  if (!a.wants(name)) return;
  const connection other(all);
  std::vector<double> dense(tile_rows * tile_rows, 1.0), field(tile_field * tile_field);
  const parts whole{{dense.data(), dense.size() * sizeof(double)}};
  parts rows;
  for (std::size_t r = 0; r < tile_rows; ++r)
    rows.push_back({&field[tile_first + r * tile_field], tile_rows * sizeof(double)});
  std::uint64_t word = 0;
  const parts answer{{&word, sizeof word}};
  const auto send = [&](const parts& p) {
    move_all(all, p, [&](msghdr* m) { return sendmsg(other.get(), m, MSG_NOSIGNAL); });
  };
  const auto receive = [&](const parts& p) {
    move_all(all, p, [&](msghdr* m) { return recvmsg(other.get(), m, 0); });
  };
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (all.rank() == 0) {
        send(whole);
        receive(answer);
      } else {
        receive(rows);
        send(answer);
      }
    }
  });
  print_row(all, name, dense.size() * sizeof(double), ns);
}

}  // namespace bench::net
