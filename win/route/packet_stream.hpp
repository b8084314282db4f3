// The stream of one process of another node, as packet_streams keeps it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "transport/pending_ops.hpp"
#include "win/route/packet_streams.hpp"
#include "win/route/shared_packets.hpp"

namespace oriel::win {

// What waits for the results of one packet.
struct packet_streams::returning {
  transport::pending_ops ops;
  std::unique_ptr<std::byte[]> results{new (std::nothrow) std::byte[packet_bytes]};
  std::unique_ptr<void* []> sinks { new (std::nothrow) void*[most_sinks] };
  std::size_t n = 0;
  std::size_t each = 0;  // bytes of a result

  static constexpr std::size_t most_sinks = packet_bytes / sizeof(std::uint64_t);
  static constexpr std::size_t taken = packet_bytes + most_sinks * sizeof(void*);
  [[nodiscard]] bool complete() const noexcept { return results != nullptr && sinks != nullptr; }
};

// Results of a stream's in a packet that it shares.
struct packet_streams::shared_results {
  std::unique_ptr<returning> takes;
  shared_packets::share from;
};

class packet_streams::stream {
 public:
  int server = 0;                       // rank of the team
  rank of{0};                           // the first that it was made for
  std::unique_ptr<std::byte[]> buffer;  // of the packet that is being filled
  std::size_t used = 0;
  std::size_t results = 0;  // bytes
  std::uint32_t entries = 0;
  std::unique_ptr<returning> awaits;  // the packet's results, where it has any
  std::chrono::steady_clock::time_point begun;
  transport::pending_ops sent;  // packets without results
  std::deque<std::unique_ptr<returning>> under_way;
  errc failed = errc::success;
  bool counted = false;  // in window_hot::pending
  // What it has in a packet that it shares, or else nothing; then no other of its is under way.
  bool may_share = false;
  std::optional<shared_packets::share> share;          // the last, in that packet
  std::vector<shared_results> shared;                  // by all
  std::chrono::steady_clock::time_point shares_since;  // its oldest operation was begun
  static constexpr std::size_t most_shares = 16;       // with results
  // A shared packet that this process has closed, and so sends; null: none.
  shared_packets::packet* sends = nullptr;
  int sends_to = -1;  // rank of the team, once it has left
  transport::pending_ops sent_shared;
  std::chrono::steady_clock::time_point closed;
};

}  // namespace oriel::win
