// How the memory of one rank is reached. Construction offers every rank to every route and keeps
// the best (route_table.hpp); from then on operations, explain(), shared queries and kernels' views
// read that one object, and nothing else tests where a rank is.
//
// A route is one file of this folder: what it can do (its probe) beside how it does it. Adding one
// takes that file, and its name in known_routes.hpp and in the list of sources.
//
// Offsets are in bytes. Operations latch what fails, with a text that names the rank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "atomics/kernels.hpp"
#include "oriel/assertion.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/call_site.hpp"
#include "oriel/detail/operation_table.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"
#include "oriel/rank.hpp"
#include "oriel/segment.hpp"
#include "oriel/shape.hpp"
#include "oriel/statistics.hpp"
#include "transport/pending_ops.hpp"
#include "win/construct/window_plan.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

using detail::notice;
using detail::window_core;
using tracker = transport::pending_ops;
struct route;

// One peer as one origin sees it, at construction.
struct peer_facts {
  bool same_process = false;
  bool same_node = true;
  place where = place::node_memory;
  bool cma = true;          // the kernel lets the origin read and write the peer's memory
  bool rma = true;          // the fabric's remote writes are known to have arrived
  bool ipc = true;          // its device memory is open here, if it can be
  bool linked = true;       // and kernels here are atomic with others on it
  bool openable = true;     // by some process, at least
  bool registered = false;  // the fabric reads and writes its device memory
};

struct offer {
  int preference = 0;        // the highest is taken; 0: the route does not lead there
  std::string_view because;  // what keeps this from being the fastest; empty on the fastest
};

// Elements of one rank, found by its route.
struct target {
  rank owner;
  const route* by = nullptr;    // moves them; not the rank's own route where that has several
  std::byte* mapped = nullptr;  // where this process loads and stores them; null where it cannot
  std::byte* device = nullptr;  // as devices address them here; null where they cannot
  // Otherwise: in the owner's address space, or, on another node, from its first element on.
  std::uint64_t address = 0;
  bool in_device_memory = false;  // wherever that is
  bool scattered = false;         // a shape's pieces lie in several segments: see at_piece
};

struct accumulation {
  atomic_op op;
  primitive type;
  const void* operands;              // null with no_op
  void* results;                     // null: not wanted
  std::size_t n;                     // elements
  atomics::accumulate_fn on_mapped;  // the loop for memory that is mapped
};

// Of all that two shapes of one element type lay out.
struct shaped_accumulation {
  atomic_op op;  // not no_op
  primitive type;
  const std::byte* origin;
  const shape* here;
  const shape* there;
  std::byte* results;  // dense, in typemap order; null: not wanted
};

struct swap {
  const void* expected;
  const void* desired;
  void* result;
  std::size_t bytes;
  atomics::compare_swap_fn on_mapped;
};

// The operands of a compare_swap as one message.
class swap_operands {
 public:
  explicit swap_operands(const swap& s) noexcept : bytes_(2 * s.bytes) {
    std::memcpy(both_.data(), s.expected, s.bytes);
    std::memcpy(both_.data() + s.bytes, s.desired, s.bytes);
  }
  [[nodiscard]] const std::byte* data() const noexcept { return both_.data(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::array<std::byte, 32> both_;
  std::size_t bytes_;
};

struct notification {
  rank to;
  disp first;
  const void* values = nullptr;
  std::size_t n = 0;  // elements of the base datatype
  notice with;
  const detail::typed_operands* shapes = nullptr;  // not null: of a put with shapes instead
};

// Every member is set in a route that is known, but those that say when they are null.
struct route {
  std::string_view name{};
  access_route counted = access_route::other;  // set by refine
  offer (*probe)(assertion_set promised, const peer_facts&) noexcept = nullptr;

  // Finds elements [i, i + n). Returns false when they are not all exposed in one piece, as far as
  // the route knows without the owner.
  bool (*find)(const window_core&, rank, disp i, std::uint64_t n, target&) noexcept = nullptr;

  // Move `bytes` bytes between here and `at` + `offset`. Where `tracked` is false, complete on
  // return, but for what `flush` completes. Else they are begun: `also`, if not null, counts them
  // until they are complete; sources of at most transport::most_kept bytes are reusable.
  errc (*put)(window_core&, const target& at, std::ptrdiff_t offset, const void* from,
              std::size_t bytes, tracker* also) noexcept = nullptr;
  errc (*get)(window_core&, const target& at, std::ptrdiff_t offset, void* to, std::size_t bytes,
              tracker* also) noexcept = nullptr;
  // All that two shapes lay out, from `origin` to one segment, or from there to `result`, as put
  // and get. Null where a route moves piece by piece, by these two. The memory is no device's.
  errc (*put_shape)(window_core&, const target& at, const std::byte* origin, const shape& here,
                    const shape& there, tracker* also) noexcept = nullptr;
  errc (*get_shape)(window_core&, const target& at, std::byte* result, const shape& here,
                    const shape& there, tracker* also) noexcept = nullptr;
  // The same for atomic operations, whose operands are reusable on return.
  errc (*accumulate)(window_core&, const target& at, std::ptrdiff_t offset, const accumulation&,
                     tracker* also) noexcept = nullptr;
  // The same of shapes, as put_shape. Null: piece by piece.
  errc (*accumulate_shape)(window_core&, const target& at, const shaped_accumulation&,
                           tracker* also) noexcept = nullptr;
  // One element; the result is usable on return.
  errc (*compare_swap)(window_core&, const target& at, const swap&) noexcept = nullptr;

  // A put, and then more on a counter of the target's; and word to the target of one that was
  // refused.
  errc (*notify)(window_core&, const notification&, call_site) noexcept = nullptr;
  void (*refuse_notify)(window_core&, rank, notice, errc why) noexcept = nullptr;

  // What was begun is complete at the rank.
  errc (*flush)(window_core&, rank) noexcept = nullptr;

  // What a program sees of the memory: its first segment, and all of them. The latter throws error.
  shared_segment<std::byte> (*query)(const window_core&, rank) noexcept = nullptr;
  std::vector<segment<std::byte>> (*segments)(const window_core&, rank) = nullptr;

  bool tracked = false;     // operations may outlive the call that begins them
  bool in_packets = false;  // those on elements may travel in packets (packet_streams.hpp)
  // Whether one on elements [i, i + n) may. Null: on any.
  bool (*may_gather)(const window_core&, rank, disp i, std::uint64_t n) noexcept = nullptr;
  bool reaches_devices = false;  // it moves buffers in device memory as it does others
};

// As what the statistics count a route of that name.
constexpr access_route counted_as(std::string_view name) noexcept {
  using enum access_route;
  constexpr std::array<std::pair<std::string_view, access_route>, 8> known{{
      {"self", self},
      {"load_store", load_store},
      {"ipc", ipc},
      {"cma", cma},
      {"owner_mail", owner_mail},
      {"fabric", fabric},
      {"attached", attached},
      {"owner_message", owner_message},
  }};
  for (const auto& [its, counted] : known)
    if (its == name) return counted;
  return other;
}

// `base` with what `change` sets in it. A table of differences does not serve: GCC's
// -fsanitize=undefined takes no comparison of a function with null for a constant.
template <typename Change>
constexpr route refine(route base, Change change) noexcept {
  change(base);
  base.counted = counted_as(base.name);
  return base;
}

// The query of memory that cannot be loaded and stored here.
inline shared_segment<std::byte> query_unmapped(const window_core&, rank r) noexcept {
  return {r, nullptr, 0};
}

}  // namespace oriel::win
