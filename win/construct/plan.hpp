// The third stage of a construction: what follows from the agreement, on each rank by itself. The
// stages after it read it, and change nothing here.
#pragma once

#include <cstdint>
#include <string>

#include "session/outcome.hpp"
#include "win/construct/agree.hpp"
#include "win/construct/ask.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/control_block.hpp"
#include "win/construct/own_memory.hpp"
#include "win/construct/segment_layout.hpp"

namespace oriel::win {

// Up to here the arena makes a block's pages itself; those of larger segments are reserved by their
// owners, for their placement, and left to be touched.
constexpr std::uint64_t made_by_first_rank = 1u << 20;

struct blueprint {
  const team& members;
  const construction& asked;
  const own_memory& mine;
  const agreement& agreed;
  std::uint64_t id = 0;  // the same on all ranks, and no other window's

  primitive element = primitive::opaque;  // when the base is a single one
  // None without the promise, so that no request from another node can name one.
  std::size_t notify_counters = 0;
  bool books = false;    // some memory is not mapped, or may be attached
  bool stripes = false;  // some element type is wider than an atomic instruction
  bool gates = false;    // accumulates may be long, beside single atomics
  bool devices = false;  // some memory is a device's, or reached by devices
  // Of each packet that this node's ranks share, as its first rank would have it; 0: none.
  std::size_t shared_packet_bytes = 0;
  control_layout layout{};
  std::uint64_t block_bytes = 0;  // of the control block
  segment_layout segments{};      // of this node, in its memory
  sessions::outcome laid_out{};   // of these: nodes differ in it, so `reserve` reports it to all

  [[nodiscard]] detail::team_state& group() const noexcept { return *members.state(); }
  [[nodiscard]] const construction_request& request(int r) const {
    return agreed.request(group(), r);
  }
  [[nodiscard]] const window_plan& window() const noexcept { return agreed.plan; }
  [[nodiscard]] sessions::collective_call call() const noexcept {
    return construction_call(asked.how);
  }
  [[nodiscard]] std::string title() const { return request(0).title(); }
  // Of the segment of a rank of this node, in the node's memory for this window.
  [[nodiscard]] std::uint64_t start_of(int r) const {
    return segments.starts[static_cast<std::size_t>(group().node_rank(r))];
  }
  // Returns whether ranks do more than compute addresses, so that all must agree on the outcome.
  [[nodiscard]] bool needs_settling() const noexcept {
    return books || devices || window().remote || segments.bytes > made_by_first_rank;
  }
};

blueprint plan(const team&, const construction&, const question&, const agreement&,
               std::uint64_t id);

}  // namespace oriel::win
