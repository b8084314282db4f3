// Packets that the ranks of one node fill together, in the window's block of shared memory: of what
// each of them has for another node, and would not fill a packet of its own. So a node's ranks send
// one message where each would send one, and what they need of memory grows with the nodes.
//
// There are two for each other node. A rank adds a share: its entries, and room for their results.
// Whoever closes a packet sends it; the ranks that have a share in it see that it is done, and take
// their results. Then it is filled anew. A packet that has failed stays closed, so that nobody can
// mistake another round for the one that failed; so does one whose sender has died, and one whose
// results a rank never takes.
//
// Lock-free, but for a share that is being copied: a sender waits until all are written.
//
// Threads: any, of any process of the node.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "oriel/errc.hpp"
#include "sync/wait.hpp"

namespace oriel::win {

class shared_packets {
 public:
  static constexpr int per_node = 2;
  static constexpr std::size_t least_bytes = 1024;  // of a packet; a multiple of a cache line
  static constexpr std::size_t most_ranks = 1 << 11;
  // At the start of the memory of one; zero is its first state.
  struct packet {
    std::atomic<std::uint64_t> room;     // filling
    std::atomic<std::uint32_t> written;  // shares
    std::atomic<std::uint32_t> readers;  // shares whose results are not taken, and the sender
    std::atomic<std::uint32_t> rounds;   // that are done
    std::atomic<std::uint32_t> failed;   // which round, and its errc; 0: none
    sync::wait_word bell;                // rings when it is done
    // Of the shares, for who counts them: an entry is an operation, or a part of one.
    std::atomic<std::uint32_t> operations;
  };
  struct share {
    packet* in;
    std::uint32_t round;
    std::uint32_t results_at;  // bytes
    bool has_results;
  };
  enum class state : std::uint8_t { open, closed, done };

  // Bytes of the memory for `nodes` with packets of `each` bytes (0: there are none), which is
  // zeroed at first.
  [[nodiscard]] static std::size_t bytes(int nodes, std::size_t each) noexcept;
  // Bytes of each packet where all may take `most`: at most `longest`, at least least_bytes.
  [[nodiscard]] static std::size_t packet_bytes_for(int nodes, std::size_t most,
                                                    std::size_t longest) noexcept;
  // One rank of the node, before the others use it.
  static void lay_out(std::byte* block, std::size_t each) noexcept;
  explicit shared_packets(std::byte* block) noexcept;

  [[nodiscard]] bool exist() const noexcept { return packet_bytes_ != 0; }

  // Adds a share to an open packet for `node` (`only` to that one, where it is not null). Nothing:
  // none has room.
  [[nodiscard]] std::optional<share> join(int node, std::span<const std::byte> entries,
                                          std::uint32_t count, std::uint32_t operations,
                                          std::size_t results,
                                          const packet* only = nullptr) noexcept;
  // An open packet for `node` has shares, and room for so much more.
  [[nodiscard]] bool some_wait(int node, std::size_t entries_bytes,
                               std::size_t results) const noexcept;
  [[nodiscard]] static state state_of(const share&) noexcept;
  // Of a share that is closed: the rank of the node that sends it.
  [[nodiscard]] static int sender_of(const share&) noexcept;
  // Of one that is done.
  [[nodiscard]] static errc outcome_of(const share&) noexcept;
  // Of a share without failure: `results_at` and so on.
  [[nodiscard]] const std::byte* results_of(const share&) const noexcept;
  // Once for each share with results, whatever its packet has come to.
  static void took_results(const share&) noexcept;

  // Returns whether this call has closed the packet of an open share: then the caller sends it, and
  // ends the round.
  [[nodiscard]] static bool close(const share&, int sender) noexcept;
  [[nodiscard]] static bool is_written(const packet&) noexcept;
  struct contents {
    std::span<const std::byte> entries;
    std::uint32_t count;
    std::uint32_t operations;
    std::span<std::byte> results;
  };
  [[nodiscard]] contents contents_of(packet&) const noexcept;
  static void end_round(packet&, errc outcome) noexcept;

 private:
  struct filling;
  [[nodiscard]] packet& at(int node, int i) const noexcept;
  [[nodiscard]] std::byte* entries_of(packet& p) const noexcept;
  [[nodiscard]] bool has_room(const filling&, std::size_t entries_bytes,
                              std::size_t results) const noexcept;
  static void leave(packet&) noexcept;

  std::byte* packets_;
  std::size_t packet_bytes_;
};

}  // namespace oriel::win
