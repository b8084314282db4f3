// What one rank has done on one window, and for what it has waited: window::statistics(). What is
// counted, and what counting costs: docs/STATISTICS.md.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oriel {

// Values of the enumerations below never change; later versions add to the end.
enum class operation_kind : std::uint8_t {
  put,
  get,
  accumulate,
  fetch_op,  // get_accumulate too
  compare_swap,
  put_notify,
};
inline constexpr std::size_t operation_kinds = 6;

// How operations reached their targets (docs/ARCHITECTURE.md has the routes).
enum class access_route : std::uint8_t {
  self,
  load_store,
  ipc,
  cma,
  owner_mail,
  fabric,
  attached,
  owner_message,
  packet,  // together with others, in a message to another node or an owner of private memory
  other,
};
inline constexpr std::size_t access_routes = 10;

enum class wait_cause : std::uint8_t {
  lock,
  fence,
  start,  // for the posts of its targets
  wait,   // for the completions of its origins
  notification,
  completion,  // of this rank's own operations: flush, unlock, complete, single results
  room,        // in a queue of operations
};
inline constexpr std::size_t wait_causes = 7;

// Operations of at most 8, 64, 512, 4 Ki, 32 Ki, 256 Ki and 2 Mi bytes, and longer ones.
inline constexpr std::size_t size_classes = 8;
// Returns the most bytes of a class; the last has no limit: 0.
constexpr std::uint64_t most_bytes_of(std::size_t size_class) noexcept {
  return size_class + 1 < size_classes ? std::uint64_t{8} << 3 * size_class : 0;
}

std::string_view name(operation_kind) noexcept;
std::string_view name(access_route) noexcept;
std::string_view name(wait_cause) noexcept;

struct window_statistics {
  struct tally {
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
    tally& operator+=(const tally& more) noexcept {
      operations += more.operations;
      bytes += more.bytes;
      return *this;
    }
    friend bool operator==(const tally&, const tally&) = default;
  };
  struct waited {
    std::uint64_t times = 0;
    std::chrono::nanoseconds time{0};
  };

  std::array<std::array<tally, access_routes>, operation_kinds> operations{};
  std::array<std::uint64_t, size_classes> by_size{};  // operations
  std::array<waited, wait_causes> waits{};
  std::uint64_t packets = 0;      // messages that carried many operations,
  std::uint64_t packed = 0;       // and these operations
  std::uint64_t agent_wakes = 0;  // of this process's agent, for all windows
  std::uint64_t retries = 0;      // of what the provider had not taken, since it was busy
  std::uint64_t messages = 0;  // reads, writes and messages to other nodes of one operation each,
                               // or of a part of one: packets are others

  [[nodiscard]] const tally& of(operation_kind k, access_route r) const noexcept {
    return operations[static_cast<std::size_t>(k)][static_cast<std::size_t>(r)];
  }
  [[nodiscard]] tally of(operation_kind k) const noexcept {
    tally sum;
    for (const tally& t : operations[static_cast<std::size_t>(k)]) sum += t;
    return sum;
  }
  [[nodiscard]] tally of(access_route r) const noexcept {
    tally sum;
    for (const auto& kind : operations) sum += kind[static_cast<std::size_t>(r)];
    return sum;
  }
  [[nodiscard]] tally total() const noexcept {
    tally sum;
    for (const auto& kind : operations)
      for (const tally& t : kind) sum += t;
    return sum;
  }
  [[nodiscard]] const waited& of(wait_cause c) const noexcept {
    return waits[static_cast<std::size_t>(c)];
  }
};

}  // namespace oriel
