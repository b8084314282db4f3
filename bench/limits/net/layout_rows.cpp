// What datatypes lay out, by sockets: tiles sent from where their rows lie and received where they
// lie, elements that are far apart packed.
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
  patience wait("a layout", all.crowded());
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

// The process that `from` names gives, the other takes.
class layout {
 public:
  static constexpr std::size_t tile_bytes = net_matrix / 2;
  static constexpr std::size_t picked_bytes = net_picked * sizeof(double);

  layout(processes& all, const arguments& a)
      : all_(all), a_(a), other_(all), matrix_(net_matrix / sizeof(double)), packed_(tile_bytes) {
    for (std::size_t r = 0; r < net_tile_side; ++r)
      tile_.push_back({&matrix_[r * 2 * net_tile_side], net_tile_side * sizeof(double)});
  }

  // What rank 0 gives is answered by a word; what it takes is asked for by one.
  template <class Give, class Take>
  void row(const char* name, std::size_t bytes, int from, Give give, Take take) {
    if (!a_.wants(name)) return;
    const double ns = nanoseconds_each(all_, a_.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        if (from == 1) pass_word(0);
        if (all_.rank() == from)
          give();
        else
          take();
        if (from == 0) pass_word(1);
      }
    });
    print_row(all_, name, bytes, ns);
  }

  void send_tile() { send(tile_); }
  void receive_tile() { receive(tile_); }
  void add_tile() {
    receive({{packed_.data(), tile_bytes}});
    for (std::size_t r = 0; r < net_tile_side; ++r)
      for (std::size_t c = 0; c < net_tile_side; ++c)
        matrix_[r * 2 * net_tile_side + c] += packed()[r * net_tile_side + c];
  }
  void send_picked() {
    for (std::size_t i = 0; i < net_picked; ++i) packed()[i] = matrix_[i * net_apart];
    send({{packed_.data(), picked_bytes}});
  }
  void receive_picked() {
    receive({{packed_.data(), picked_bytes}});
    for (std::size_t i = 0; i < net_picked; ++i) matrix_[i * net_apart] = packed()[i];
  }

 private:
  void pass_word(int from) {
    if (all_.rank() == from)
      send({{&word_, sizeof word_}});
    else
      receive({{&word_, sizeof word_}});
  }
  void send(const parts& p) {
    move_all(all_, p, [this](msghdr* m) { return sendmsg(other_.get(), m, MSG_NOSIGNAL); });
  }
  void receive(const parts& p) {
    move_all(all_, p, [this](msghdr* m) { return recvmsg(other_.get(), m, 0); });
  }
  [[nodiscard]] double* packed() const { return reinterpret_cast<double*>(packed_.data()); }

  processes& all_;
  const arguments& a_;
  connection other_;
  std::vector<double> matrix_;
  page_buffer packed_;
  parts tile_;
  std::uint64_t word_ = 0;
};

}  // namespace

void layout_rows(processes& all, const arguments& a) {
  layout l(all, a);
  const auto send_tile = [&l] { l.send_tile(); };
  const auto receive_tile = [&l] { l.receive_tile(); };
  const auto send_picked = [&l] { l.send_picked(); };
  const auto receive_picked = [&l] { l.receive_picked(); };
  l.row("net_put_tile", layout::tile_bytes, 0, send_tile, receive_tile);
  l.row("net_get_tile", layout::tile_bytes, 1, send_tile, receive_tile);
  l.row("net_add_tile", layout::tile_bytes, 0, send_tile, [&l] { l.add_tile(); });
  l.row("net_put_16th", layout::picked_bytes, 0, send_picked, receive_picked);
  l.row("net_get_16th", layout::picked_bytes, 1, send_picked, receive_picked);
}

}  // namespace bench::net
