// ORIEL_CHECK: what a rank tells a node of what it does to memory of the node's ranks, whose logs
// and whose places of order (order_places.hpp) are there: what the requests of remote_call.hpp for
// it carry. Any rank of the node can serve them. Nothing has undefined bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "oriel/primitive.hpp"
#include "session/team/known_times.hpp"
#include "win/check/shadow_log.hpp"

namespace oriel::win {

// An access, as a log has it.
struct far_entry {
  std::uint64_t low = 0, high = 0;
  std::uint64_t begun = 0, complete = 0;
  std::uint64_t offset = 0;
  std::uint64_t told = 0;  // in a request alone
  std::int32_t origin = 0;
  std::uint32_t period = 0, line = 0;
  std::int16_t begun_by = 0, completed_by = 0;
  std::uint8_t kind = 0, flags = 0, op = 0, type = 0;
  std::array<char, 42> file{};
  std::uint16_t unused = 0;
};
static_assert(sizeof(far_entry) == 112);
far_entry packed(const shadow_access&) noexcept;
// Nothing where it is no access by an operation, or names what there is not.
std::optional<shadow_access> unpacked(const far_entry&) noexcept;

// One of several stretches of bytes that an operation accesses.
struct far_run {
  std::uint64_t low = 0, high = 0;
  std::uint64_t type = 0;
  static far_run of(std::uint64_t low, std::uint64_t high, primitive type) noexcept {
    return {low, high, static_cast<std::uint64_t>(type)};
  }
};

// Notes an access: the payload is a far_entry, what vector_clock::show() shows, and the runs. All
// or none of them are noted. Leaves the sender's times, its own as the entry says, at places of the
// target's for atomic operations.
struct note_request {
  std::int32_t target = 0;
  std::uint32_t runs = 0;
  std::uint32_t compares_operations = 0;  // or 1: of accumulates
  std::uint32_t tells_at = 0;             // which of the places
};
struct note_answer {
  enum class what : std::uint32_t { nothing, conflict, other_operation };
  std::uint64_t time = 0;  // of the node that answers
  what found = what::nothing;
  std::uint32_t run = 0;  // which
  far_entry other;
};

// What the sender has done is complete. The payload is a completed_access.
struct completion_request {
  enum class which : std::uint8_t { all, reading, requested, alike };
  std::int32_t target = 0;  // -1: all of the node
  which what = which::all;
  std::uint8_t kind = 0;  // of alike
  std::int16_t thread = 0;
  std::uint64_t time = 0;
};
// Where `what` is alike.
struct completed_access {
  std::uint64_t low = 0, high = 0;
};
// When each of the sender's other threads has completed some of it before.
struct completion_answer {
  std::uint64_t time = 0;
  std::array<std::uint64_t, sessions::most_threads> threads{};
};

// Times that are left at places of order, or that are there: the payload, or the answer behind the
// node's time. The places are those of `mask`, from first + k * step on, for each k below count.
struct order_request {
  std::uint32_t first = 0, mask = 1;
  std::uint32_t step = 0, count = 1;
};

}  // namespace oriel::win
