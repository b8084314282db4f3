#include "bench/limits/net/rows.hpp"

namespace bench::net {
namespace {

// Rank 0's `op(offset)`, all waited for after every `at_once` of them; the target makes progress in
// the barrier that ends the measurement.
template <class Op>
void origin_row(processes& all, endpoint& e, const arguments& a, const char* name,
                std::size_t bytes, long at_once, Op op) {
  if (!a.wants(name)) return;
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n;) {
      for (const long end = std::min(n, i + at_once); i < end; ++i)
        op(bytes == 8 ? static_cast<std::size_t>(i % walked) * 8 : 0);
      e.wait_transfers();
    }
  });
  print_row(all, name, bytes, ns);
}

}  // namespace

void transfer_rows(processes& all, endpoint& e, const arguments& a) {
  const auto put = [&](std::size_t at) { e.write(1, at, 8); };
  origin_row(all, e, a, "net_put_flush", 8, 1, put);
  origin_row(all, e, a, "net_get_flush", 8, 1, [&](std::size_t at) { e.read(1, at, 8); });
  origin_row(all, e, a, "net_put_stream", 8, puts_a_stream, put);
  origin_row(all, e, a, "net_put_1m", net_transfer, 1,
             [&](std::size_t at) { e.write(1, at, net_transfer); });
  origin_row(all, e, a, "net_get_1m", net_transfer, 1,
             [&](std::size_t at) { e.read(1, at, net_transfer); });
}

// What an operation that the target's process serves costs at least: a request and its reply.
void round_trip_row(processes& all, endpoint& e, const arguments& a) {
  constexpr const char* name = "net_round_trip";
  if (!a.wants(name)) return;
  const int half = all.size() / 2, partner = (all.rank() + half) % all.size();
  const bool leads = all.rank() < half;
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (leads) e.send(partner, 0);
      e.receive(0);
      if (!leads) e.send(partner, 0);
    }
  });
  print_row(all, name, 8, ns);
}

// A dissemination barrier: in round k a message to the rank 2^k further on.
void fence_row(processes& all, endpoint& e, const arguments& a) {
  constexpr const char* name = "net_fence";
  if (!a.wants(name)) return;
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i)
      for (std::uint64_t round = 0; round < endpoint::kinds; ++round) {
        e.send((all.rank() + (1 << round)) % all.size(), round);
        e.receive(round);
      }
  });
  print_row(all, name, 8, ns);
}

}  // namespace bench::net
